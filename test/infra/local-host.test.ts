import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { freePort } from "../../infra/local/engine.ts";
import { eventually, inSeconds } from "../support/waiting.ts";

/** `npm start` itself, in a process of its own that is killed. */

interface Started {
  process: ChildProcess;
  url: string;
  key: string;
  output(): string;
}

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function aDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "skein-start-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(dataFolder: string, settings: Record<string, string> = {}): Promise<Started> {
  const port = await freePort();
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "infra/local/start.ts"], {
    env: { PATH: process.env.PATH, SKEIN_DATA: dataFolder, PORT: String(port), ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  cleanUps.unshift(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  await eventually(async () => output.includes("Stop it with Ctrl+C") || child.exitCode !== null, 20);
  return {
    process: child,
    url: `http://127.0.0.1:${port}/api/v1`,
    key: /API key\s+(\S+)/.exec(output)?.[1] ?? "",
    output: () => output,
  };
}

/** Under load a start takes seconds. */
vi.setConfig({ testTimeout: 90_000 });

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("exit", resolve));

async function ask({ url, key }: Started, method: string, path: string, params: Record<string, unknown> = {}) {
  const form = new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  const headers = { authorization: `Basic ${Buffer.from(`ada@loom.test:${key}`).toString("base64")}` };
  const response = await (method === "GET"
    ? fetch(`${url}${path}?${form}`, { headers })
    : fetch(url + path, { method, headers, body: form }));
  return (await response.json()) as any;
}

const contents = async (host: Started): Promise<string[]> =>
  (
    await ask(host, "GET", "/messages", { anchor: "newest", num_before: 50, num_after: 0, apply_markdown: false })
  ).messages.map(({ content }: { content: string }) => content);

test("what was sent and scheduled survives kill -9, and the scheduled message arrives once", async () => {
  const folder = aDataFolder();
  const first = await start(folder);
  await ask(first, "POST", "/messages", { type: "channel", to: "general", topic: "t", content: "before the crash" });
  const scheduled = await ask(first, "POST", "/scheduled_messages", {
    type: "channel",
    to: 1,
    topic: "t",
    content: "after the crash",
    scheduled_delivery_timestamp: inSeconds(3),
  });
  expect(scheduled.result).toBe("success");

  first.process.kill("SIGKILL");
  await ended(first.process);
  const second = await start(folder);

  expect(second.output()).not.toContain("created its organization");
  expect(second.key).toBe(first.key);
  await eventually(async () => (await contents(second)).length > 1, 15);
  expect(await contents(second)).toEqual(["before the crash", "after the crash"]);
});

test("a message whose time came while the host was down arrives at the next start, and never again", async () => {
  const folder = aDataFolder();
  const first = await start(folder);
  await ask(first, "POST", "/scheduled_messages", {
    type: "direct",
    to: [1],
    content: "overdue",
    scheduled_delivery_timestamp: inSeconds(1),
  });
  first.process.kill("SIGKILL");
  await ended(first.process);
  await new Promise((resolve) => setTimeout(resolve, 1500));

  const second = await start(folder);
  await eventually(async () => (await contents(second)).length > 0, 40);
  second.process.kill("SIGKILL");
  await ended(second.process);

  const third = await start(folder);
  await ask(third, "POST", "/messages", { type: "direct", to: [1], content: "later" });
  expect(await contents(third)).toEqual(["overdue", "later"]);
});

test("SIGTERM and SIGINT stop it in order, and a start finds everything as it was", async () => {
  const folder = aDataFolder();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const host = await start(folder);
    await ask(host, "POST", "/messages", { type: "direct", to: [1], content: signal });
    host.process.kill(signal);
    expect(await ended(host.process)).toBe(0);
  }

  expect(await contents(await start(folder))).toEqual(["SIGTERM", "SIGINT"]);
});

test("two hosts do not share a data folder", async () => {
  const folder = aDataFolder();
  await start(folder);

  const second = await start(folder);

  expect(second.output()).toContain("Skein cannot start: The data folder is in use by another host");
  expect(second.process.exitCode).toBe(1);
});

test("a wrong organization file is refused with the field's name, and nothing is created", async () => {
  const folder = aDataFolder();

  const host = await start(folder, { SKEIN_ORG: "package.json" });

  expect(host.output()).toMatch(/Skein cannot start: users: /);
  expect(host.process.exitCode).toBe(1);
  expect((await start(folder)).output()).toContain("created its organization");
});
