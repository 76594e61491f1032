import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { freePort } from "../../../infra/local/engine.ts";
import { descendantsOf, isRunning, type RunningProcess } from "../../support/hosts/processes.ts";
import { eventually, soon } from "../../support/waiting.ts";

/** Runs `npm start` in a separate process and kills it. */

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

const directly = [process.execPath, "--disable-warning=ExperimentalWarning", "infra/local/start.ts"];

async function start(
  dataFolder: string,
  settings: Record<string, string> = {},
  [program = "", ...args] = directly,
): Promise<Started> {
  const port = await freePort();
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      SKEIN_DATA: dataFolder,
      SKEIN_ORG: "test/support/small-organization.json",
      PORT: String(port),
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  cleanUps.unshift(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  await eventually(async () => output.includes("Press Ctrl+C to stop") || child.exitCode !== null);
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

test("the sample organization begins with conversations, some of them unread, with reactions, votes and statuses", async () => {
  const host = await start(aDataFolder(), { SKEIN_ORG: "organization.sample.json" });

  const { messages } = await ask(host, "GET", "/messages", { anchor: "newest", num_before: 200, num_after: 0 });
  const { members } = await ask(host, "GET", "/users");
  const { status } = await ask(host, "GET", "/users/2/status");

  expect(messages.length).toBeGreaterThan(80);
  expect(new Set(messages.map(({ stream_id, subject }: any) => `${stream_id} ${subject}`)).size).toBeGreaterThan(20);
  const times = messages.map(({ timestamp }: any) => timestamp);
  expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
  expect(times.at(-1)).toBeLessThan(Date.now() / 1000);
  const unread = messages.filter(({ flags }: any) => !flags.includes("read"));
  expect(unread.length).toBeGreaterThan(5);
  expect(unread.length).toBeLessThan(messages.length / 2);
  expect(messages.some(({ reactions }: any) => reactions.length > 3)).toBe(true);
  const [poll] = messages.filter(({ submessages }: any) => submessages.length > 0);
  expect(poll.submessages).toHaveLength(1 + 9);
  expect(members.filter(({ is_bot }: any) => !is_bot)).toHaveLength(10);
  expect(status).toMatchObject({ emoji_name: "coffee" });
});

test("what was sent and scheduled survives kill -9, and the scheduled message arrives once", async () => {
  const folder = aDataFolder();
  const first = await start(folder);
  await ask(first, "POST", "/messages", { type: "channel", to: "general", topic: "t", content: "before the crash" });
  const scheduled = await ask(first, "POST", "/scheduled_messages", {
    type: "channel",
    to: 1,
    topic: "t",
    content: "after the crash",
    scheduled_delivery_timestamp: soon(),
  });
  expect(scheduled.result).toBe("success");

  first.process.kill("SIGKILL");
  await ended(first.process);
  const second = await start(folder);

  expect(second.output()).not.toContain("created its organization");
  expect(second.key).toBe(first.key);
  await eventually(async () => (await contents(second)).length > 1);
  expect(await contents(second)).toEqual(["before the crash", "after the crash"]);
});

test("a message whose time came while the host was down arrives at the next start, and never again", async () => {
  const folder = aDataFolder();
  const first = await start(folder);
  const deliverAt = soon();
  const scheduled = await ask(first, "POST", "/scheduled_messages", {
    type: "direct",
    to: [1],
    content: "overdue",
    scheduled_delivery_timestamp: deliverAt,
  });
  expect(scheduled.result).toBe("success");
  first.process.kill("SIGKILL");
  await ended(first.process);
  await new Promise((resolve) => setTimeout(resolve, (deliverAt + 1) * 1000 - Date.now()));

  const second = await start(folder);
  await eventually(async () => (await contents(second)).length > 0);
  second.process.kill("SIGKILL");
  await ended(second.process);

  const third = await start(folder);
  await ask(third, "POST", "/messages", { type: "direct", to: [1], content: "later" });
  expect(await contents(third)).toEqual(["overdue", "later"]);
});

test("SIGTERM and SIGINT stop it in order, and the next start finds all data", async () => {
  const folder = aDataFolder();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const host = await start(folder);
    await ask(host, "POST", "/messages", { type: "direct", to: [1], content: signal });
    host.process.kill(signal);
    expect(await ended(host.process)).toBe(0);
  }

  expect(await contents(await start(folder))).toEqual(["SIGTERM", "SIGINT"]);
});

test("the death of the engine ends the host with an error", async () => {
  const host = await start(aDataFolder());
  const engine = descendantsOf(host.process.pid as number).find(({ command }) => /^\S*dynoxide serve/.test(command));

  process.kill(engine?.pid as number, "SIGKILL");

  expect(await ended(host.process)).toBe(1);
  expect(host.output()).toContain("The embedded engine has exited, so the host stops too");
});

/** The processes of `npm start`. */
async function npmStart() {
  const host = await start(aDataFolder(), {}, ["npm", "start"]);
  const npm = host.process.pid as number;
  const started = descendantsOf(npm);
  cleanUps.unshift(() => {
    for (const { pid } of started) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  // run.mjs, the host, the engine's proxy process, the engine.
  for (const name of ["run.mjs", "start.ts", "engine-process.ts", "dynoxide serve"])
    expect(started.map(({ command }) => command).join("\n")).toContain(name);
  return { npm, started };
}

const allEnd = (started: readonly RunningProcess[]) =>
  eventually(async () => started.every(({ pid }) => !isRunning(pid)));

for (const signal of ["SIGTERM", "SIGKILL"] as const)
  test(`${signal} to npm start ends all that it started`, async () => {
    const { npm, started } = await npmStart();

    process.kill(npm, signal);

    await allEnd(started);
  });

test("kill -9 of what npm start runs, or of the host, ends the rest", async () => {
  for (const name of ["run.mjs", "start.ts"]) {
    const { npm, started } = await npmStart();
    const { pid } = started.filter(({ command }) => command.includes(name)).at(-1) as RunningProcess;

    process.kill(pid, "SIGKILL");

    await allEnd([...started, { pid: npm, command: "npm start" }]);
  }
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
