import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../support/hosts/free-port.ts";
import { bareEnvironment } from "../support/hosts/processes.ts";
import { withProcessTable } from "../support/table/process-table.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** A restore drill: exports the table of the host under test and starts another host from the export. */

const folder = mkdtempSync(join(tmpdir(), "skein-restore-"));
const [exportFolder, dataFolder] = [join(folder, "export"), join(folder, "data")];
let host: ChildProcess | undefined;

afterAll(async () => {
  const ended = host && new Promise((resolve) => host?.once("exit", resolve));
  host?.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

const runCommand = async (program: string, args: string[], env: Record<string, string> = {}) =>
  (
    await promisify(execFile)(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", ...withProcessTable, `infra/backup/${program}`, ...args],
      {
        env: { ...process.env, ...target().environment, ...env },
      },
    )
  ).stdout;

async function startRestored(): Promise<string> {
  const port = await freePort();
  const env = { ...bareEnvironment, SKEIN_DATA: dataFolder, PORT: String(port) };
  const program = ["--disable-warning=ExperimentalWarning", "infra/local/start.ts"];
  host = spawn(process.execPath, program, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  host.stdout?.on("data", (chunk: Buffer) => (output += chunk));
  await eventually(async () => output.includes("Press Ctrl+C to stop") || host?.exitCode !== null);
  expect(output).not.toContain("created its organization");
  return `http://127.0.0.1:${port}/api/v1`;
}

let prospero: Person;
let messageId: number;

beforeAll(async () => {
  prospero = await aPerson("Prospero");
  const island = await aChannel("island", [prospero]);
  const { body } = await prospero.call("POST", "/messages", {
    ...{ type: "channel", to: island.id, topic: "books", content: "Knowing I loved my books" },
  });
  messageId = body.id;
});

test("an exported table becomes a new data folder, whose host serves its messages to users with an API key", async () => {
  const table = target().environment.TABLE_NAME ?? "";
  expect(await runCommand("export-table.ts", ["--to", exportFolder, "--table", table])).toMatch(/^\d+ items of /);
  expect(await runCommand("restore-table.ts", ["--from", exportFolder], { SKEIN_DATA: dataFolder })).toMatch(
    /^Restored \d+ items to /,
  );
  const url = await startRestored();

  const query = `anchor=${messageId}&num_before=0&num_after=0&apply_markdown=false`;
  const authorization = `Basic ${Buffer.from(`${prospero.email}:${prospero.apiKey}`).toString("base64")}`;
  const reply = await fetch(`${url}/messages?${query}`, { headers: { authorization } });

  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({ messages: [{ id: messageId, content: "Knowing I loved my books" }] });
  // Takes minutes, because the table contains the data of all test files before this one.
}, 300_000);

test("a folder with an organization is never overwritten", async () => {
  const refused = expect(runCommand("restore-table.ts", ["--from", exportFolder], { SKEIN_DATA: dataFolder })).rejects;

  await refused.toThrow("already contains an organization");
});

test("a folder without an export is refused before anything is created", async () => {
  const unusedFolder = join(folder, "elsewhere");

  const refused = expect(runCommand("restore-table.ts", ["--from", dataFolder], { SKEIN_DATA: unusedFolder })).rejects;

  await refused.toThrow("There are no files *.json.gz");
  expect(existsSync(unusedFolder)).toBe(false);
});
