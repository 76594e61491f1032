import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect } from "vitest";
import { freePort } from "../../support/hosts/free-port.ts";
import { bareEnvironment } from "../../support/hosts/processes.ts";
import { eventually } from "../../support/waiting.ts";
import { aFolder } from "./slack-archive.ts";

/** Calls the API as somebody; a parameter that is no text is sent as JSON. */
export type Call = (method: string, path: string, params?: object) => Promise<any>;

/** What an operator does with an archive of these files, packed under a name: the command, and then the host. */
export function moveIn(name: string, files: Record<string, unknown>, options: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "skein-moving-"));
  const [archive, dataFolder] = [join(folder, name), join(folder, "data")];
  execFileSync("tar", ["czf", archive, "-C", aFolder(files), "."]);
  let host: ChildProcess | undefined;
  const stopHost = async () => {
    const ended = host && once(host, "exit");
    host?.kill("SIGTERM");
    await ended;
    host = undefined;
  };
  afterAll(async () => {
    await stopHost();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { ...bareEnvironment, TMPDIR: folder, SKEIN_DATA: dataFolder };
  const flag = "--disable-warning=ExperimentalWarning";
  const program = [flag, "infra/import/import.ts", "--from", archive, ...options];
  const runImport = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [...program, ...args], { env })).stdout;

  /** Creates an organization from a file in the data folder, as the host does when it starts for the first time. */
  async function createOrganization(organization: object): Promise<void> {
    const file = join(folder, "organization.json");
    writeFileSync(file, JSON.stringify(organization));
    await startHost({ SKEIN_ORG: file });
    await stopHost();
  }

  /** Starts the host; returns how to call it as the owner of an address. */
  async function startHost(more: NodeJS.ProcessEnv = {}): Promise<(email: string) => Promise<Call>> {
    const port = await freePort();
    host = spawn(process.execPath, [flag, "infra/local/start.ts"], {
      ...{ env: { ...env, ...more, PORT: String(port) }, stdio: ["ignore", "pipe", "inherit"] },
    });
    let output = "";
    host.stdout?.on("data", (chunk: Buffer) => (output += chunk));
    await eventually(async () => output.includes("Press Ctrl+C to stop") || host?.exitCode !== null);
    if (!more.SKEIN_ORG) expect(output).not.toContain("created its organization");

    const api = `http://127.0.0.1:${port}/api/v1`;
    return async (email) => {
      const key = await fetch(`${api}/dev_fetch_api_key`, {
        method: "POST",
        body: new URLSearchParams({ username: email }),
      });
      const { api_key } = (await key.json()) as { api_key: string };
      const authorization = `Basic ${Buffer.from(`${email}:${api_key}`).toString("base64")}`;
      return async (method, path, params = {}) => {
        const fields = new URLSearchParams(
          Object.entries(params).map(([field, value]) => [
            field,
            typeof value === "string" ? value : JSON.stringify(value),
          ]),
        );
        const [url, body] = method === "GET" ? [`${api}${path}?${fields}`, undefined] : [`${api}${path}`, fields];
        return (await fetch(url, { method, headers: { authorization }, ...(body && { body }) })).json();
      };
    };
  }
  return { dataFolder, runImport, startHost, createOrganization };
}
