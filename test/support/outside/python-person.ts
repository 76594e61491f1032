import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { mustSucceed } from "../http.ts";
import type { Person } from "../world.ts";
import { environmentWith } from "./python.ts";

/** A person whose calls are made by the unmodified Python package `zulip`, one after the other. */
export async function byPythonClient(person: Person, site: string): Promise<{ person: Person; close(): void }> {
  const python = join(await environmentWith("zulip", "0.9.1"), "bin/python");
  const child = spawn(python, [join(import.meta.dirname, "call-by-python.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const write = (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`);
  write({ email: person.email, api_key: person.apiKey, site });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The Python client ended")));
  // Unless a request waits for it, it ends as it should.
  ended.catch(() => {});
  let previous: Promise<unknown> = Promise.resolve();
  const request = async (method: string, path: string, params: Record<string, unknown>) => {
    write([method, path, params]);
    const [line] = await Promise.race([once(lines, "line"), ended]);
    return JSON.parse(line);
  };
  const call: Person["call"] = async (method, path, params = {}) => {
    const reply = previous.catch(() => {}).then(() => request(method, path, params));
    previous = reply;
    const body = await reply;
    const cost = { readUnits: 0, writeUnits: 0, tableCalls: 0, stages: 0 };
    return { status: body.result === "success" ? 200 : 400, body, bytes: Buffer.alloc(0), headers: {}, cost };
  };
  return {
    person: {
      ...person,
      call,
      async do(method, path, params) {
        const { status, body } = await call(method, path, params);
        mustSucceed(person.name, method, path, status, body);
        return body;
      },
    },
    close: () => child.stdin.end(),
  };
}
