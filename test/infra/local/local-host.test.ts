import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../support/hosts/free-port.ts";
import { bareEnvironment, descendantsOf, isRunning, type RunningProcess } from "../../support/hosts/processes.ts";
import { startDynamoDbLocal } from "../../support/table/dynamodb-local.ts";
import { eventually, soon } from "../../support/waiting.ts";

/** Runs `npm start` in a separate process and kills it. */

interface StartedHost {
  process: ChildProcess;
  url: string;
  apiKey: string;
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

const hostCommand = [process.execPath, "--disable-warning=ExperimentalWarning", "infra/local/start.ts"];

async function start(
  dataFolder: string,
  settings: Record<string, string> = {},
  [program = "", ...args] = hostCommand,
): Promise<StartedHost> {
  const port = await freePort();
  const child = spawn(program, args, {
    env: {
      ...bareEnvironment,
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
    apiKey: /API key\s+(\S+)/.exec(output)?.[1] ?? "",
    output: () => output,
  };
}

/** On a busy machine each start takes many seconds. */
vi.setConfig({ testTimeout: 90_000 });

const exitCodeOf = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("exit", resolve));

async function callApi(
  { url, apiKey }: StartedHost,
  method: string,
  path: string,
  params: Record<string, unknown> = {},
) {
  const form = new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  const headers = { authorization: `Basic ${Buffer.from(`ada@loom.test:${apiKey}`).toString("base64")}` };
  const response = await (method === "GET"
    ? fetch(`${url}${path}?${form}`, { headers })
    : fetch(url + path, { method, headers, body: form }));
  return (await response.json()) as any;
}

const contents = async (host: StartedHost): Promise<string[]> =>
  (
    await callApi(host, "GET", "/messages", { anchor: "newest", num_before: 50, num_after: 0, apply_markdown: false })
  ).messages.map(({ content }: { content: string }) => content);

test("the sample organization begins with conversations, some of them unread, with reactions, votes and statuses", async () => {
  const host = await start(aDataFolder(), { SKEIN_ORG: "organization.sample.json" });

  const { messages } = await callApi(host, "GET", "/messages", { anchor: "newest", num_before: 200, num_after: 0 });
  const { members } = await callApi(host, "GET", "/users");
  const { status } = await callApi(host, "GET", "/users/2/status");

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
  // The poll itself and nine votes.
  expect(poll.submessages).toHaveLength(1 + 9);
  expect(members.filter(({ is_bot }: any) => !is_bot)).toHaveLength(10);
  expect(status).toMatchObject({ emoji_name: "coffee" });
});

test("what was sent and scheduled survives kill -9, and the scheduled message arrives once", async () => {
  const folder = aDataFolder();
  const first = await start(folder);
  await callApi(first, "POST", "/messages", {
    type: "channel",
    to: "general",
    topic: "t",
    content: "before the crash",
  });
  const scheduled = await callApi(first, "POST", "/scheduled_messages", {
    type: "channel",
    to: 1,
    topic: "t",
    content: "after the crash",
    scheduled_delivery_timestamp: soon(),
  });
  expect(scheduled.result).toBe("success");

  first.process.kill("SIGKILL");
  await exitCodeOf(first.process);
  const second = await start(folder);

  expect(second.output()).not.toContain("created its organization");
  expect(second.apiKey).toBe(first.apiKey);
  await eventually(async () => (await contents(second)).length > 1);
  expect(await contents(second)).toEqual(["before the crash", "after the crash"]);
});

test("a message whose time came while the host was down arrives at the next start, and never again", async () => {
  const folder = aDataFolder();
  const first = await start(folder);
  const deliverAt = soon();
  const scheduled = await callApi(first, "POST", "/scheduled_messages", {
    type: "direct",
    to: [1],
    content: "overdue",
    scheduled_delivery_timestamp: deliverAt,
  });
  expect(scheduled.result).toBe("success");
  first.process.kill("SIGKILL");
  await exitCodeOf(first.process);
  await new Promise((resolve) => setTimeout(resolve, (deliverAt + 1) * 1000 - Date.now()));

  const second = await start(folder);
  await eventually(async () => (await contents(second)).length > 0);
  second.process.kill("SIGKILL");
  await exitCodeOf(second.process);

  const third = await start(folder);
  await callApi(third, "POST", "/messages", { type: "direct", to: [1], content: "later" });
  expect(await contents(third)).toEqual(["overdue", "later"]);
});

test("SIGTERM and SIGINT stop the host in an orderly way, and the next start finds all data", async () => {
  const folder = aDataFolder();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const host = await start(folder);
    await callApi(host, "POST", "/messages", { type: "direct", to: [1], content: signal });
    host.process.kill(signal);
    expect(await exitCodeOf(host.process)).toBe(0);
  }

  expect(await contents(await start(folder))).toEqual(["SIGTERM", "SIGINT"]);
});

const anyCredentials = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };

test("the table can be one that another program serves, and the data folder keeps the rest", async () => {
  const { endpoint, stop } = await startDynamoDbLocal();
  onTestFinished(stop);
  const table = { SKEIN_TABLE_ENDPOINT: endpoint, ...anyCredentials };
  const folder = aDataFolder();
  const first = await start(folder, table);
  await callApi(first, "POST", "/messages", { type: "direct", to: [1], content: "kept elsewhere" });
  first.process.kill("SIGKILL");
  await exitCodeOf(first.process);

  const second = await start(folder, table);

  expect(second.output()).not.toContain("created its organization");
  expect(await contents(second)).toEqual(["kept elsewhere"]);
  expect(existsSync(join(folder, "aws/aws.sqlite"))).toBe(true);
  expect(existsSync(join(folder, "table.sqlite"))).toBe(false);
});

test("a table elsewhere that cannot be used is refused in words", async () => {
  const table = createServer((_, response) => {
    response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
    response.end('{"__type":"UnrecognizedClientException","message":"The security token is invalid"}');
  });
  onTestFinished(() => void table.close());
  await new Promise<void>((resolve) => table.listen(0, "127.0.0.1", resolve));
  const SKEIN_TABLE_ENDPOINT = `http://127.0.0.1:${(table.address() as AddressInfo).port}`;
  const outputWith = async (settings: Record<string, string>) =>
    (await start(aDataFolder(), { SKEIN_TABLE_ENDPOINT, ...anyCredentials, ...settings })).output();

  expect(await outputWith({ SKEIN_TABLE_ENDPOINT: "localhost:8000" })).toContain(
    'Skein cannot start: SKEIN_TABLE_ENDPOINT must be an address such as http://127.0.0.1:8000, but is "localhost:8000"',
  );
  expect(await outputWith({ AWS_SECRET_ACCESS_KEY: "" })).toContain(
    "needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  );
  expect(await outputWith({})).toContain(
    "Skein cannot start: the table can be neither created nor found (UnrecognizedClientException: The security token is invalid)",
  );
});

test("an address that others reach is served only if nobody signs in as anybody", async () => {
  const folder = aDataFolder();

  const refused = await start(folder, { HOST: "0.0.0.0" });
  const served = await start(folder, { HOST: "0.0.0.0", SKEIN_DEVELOPMENT: "false" });

  expect(refused.output()).toContain("Anybody who reaches 0.0.0.0 could sign in as any user");
  expect(served.output()).toContain("Skein created its organization and serves");
  expect(served.output()).not.toContain("API key");
  const { code, msg } = await callApi(served, "POST", "/dev_fetch_api_key", { username: "owner@globe.test" });
  expect([code, msg]).toEqual(["BAD_REQUEST", "Endpoint not available in production."]);
});

test("a table that cannot be opened is refused in words", async () => {
  const folder = aDataFolder();
  mkdirSync(join(folder, "table.sqlite"));

  const { output } = await start(folder);

  expect(output()).toMatch(/Skein cannot start: the table \S+table.sqlite cannot be used: /);
});

/** A Node that cannot replace its process by another program, as before 22.15 and on Windows: run.mjs waits for the host. */
const withoutReplacing = { NODE_OPTIONS: "--import=data:text/javascript,process.execve=undefined" };

/** Runs `npm start`; returns its process ID and the processes that it started. */
async function npmStart(settings: Record<string, string> = {}) {
  const host = await start(aDataFolder(), settings, ["npm", "start"]);
  const npm = host.process.pid as number;
  const processes = descendantsOf(npm);
  cleanUps.unshift(() => {
    for (const { pid } of processes) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  return { npm, processes };
}

const nodesOf = (processes: readonly RunningProcess[]) =>
  processes.flatMap(({ command }) => /^\S*node .*?(run\.mjs|start\.ts)/.exec(command)?.[1] ?? []).toSorted();

const untilEnded = (processes: readonly RunningProcess[]) =>
  eventually(async () => processes.every(({ pid }) => !isRunning(pid)));

for (const signal of ["SIGTERM", "SIGKILL"] as const)
  test(`npm start is one process besides npm's own, and ${signal} to npm ends it`, async () => {
    const { npm, processes } = await npmStart();
    expect(nodesOf(processes)).toEqual(["start.ts"]);

    process.kill(npm, signal);

    await untilEnded(processes);
  });

test("kill -9 of npm, of a waiting run.mjs, or of its host ends all other processes of npm start", async () => {
  const started = await Promise.all(
    ["npm", "run.mjs", "start.ts"].map(async (name) => ({ name, ...(await npmStart(withoutReplacing)) })),
  );
  for (const { name, npm, processes } of started) {
    expect(nodesOf(processes)).toEqual(["run.mjs", "start.ts"]);
    const killed = processes.filter(({ command }) => command.includes(name)).at(-1)?.pid ?? npm;

    process.kill(killed, "SIGKILL");

    await untilEnded([...processes, { pid: npm, command: "npm start" }]);
  }
});

test("a second host does not start with a data folder that is in use", async () => {
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
