import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../../infra/ministack/ministack.ts";
import { endsWithUs } from "./cdk.ts";

const root = resolve(import.meta.dirname, "..", "..");

/** How long the command may take until the fleet is ready, on a busy machine. */
const deadlineMs = 10 * 60_000;

/**
 * Runs `npm run local:aws` as a person does, with a data folder and ports of its own: the command that it prints must work,
 * Ctrl+C must end it, and what was written must be there when it is called again. Throws if something is wrong.
 */
export async function useLocalAws(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "skein-local-aws-"));
  const settings = { SKEIN_AWS_DATA: folder, PORT: String(await freePort()) };
  try {
    const { url, credentials, id } = await inCommand(settings, async (printed) => {
      const summary = await waitFor(async () => printed().includes("Press Ctrl+C to stop") && printed());
      const [, command = "", credentials = "", url = ""] =
        /try +(curl -sS -u '(\S+)' (\S+)\/api.*)/.exec(summary) ?? [];
      const { stdout } = await promisify(execFile)("sh", ["-c", command]);
      const { id } = JSON.parse(stdout) as { id?: number };
      if (id === undefined) throw new Error(`The printed command is of no use: ${stdout}`);
      return { url, credentials, id };
    });
    await inCommand(settings, async () => {
      // The fleet of the first run is served as soon as the emulator has read its state, before it is updated.
      const { content } = await waitFor(() => fetchMessage(url, credentials, id).catch(() => undefined));
      if (content !== "Hello, world!") throw new Error(`The message was not kept: ${content}`);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `npm run local:aws` during `work`, and ends it as Ctrl+C does; the error of `work` says what the command printed. */
async function inCommand<T>(settings: NodeJS.ProcessEnv, work: (printed: () => string) => Promise<T>): Promise<T> {
  const child = spawn("npm", ["run", "local:aws"], {
    cwd: root,
    // A process group of its own, which receives SIGINT as that of a terminal does.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...settings, AWS_PROFILE: undefined, CDK_DISABLE_CLI_TELEMETRY: "true" },
  });
  endsWithUs(child);
  // All processes of the group have closed their output.
  const closed = once(child, "close");
  let printed = "";
  child.stdout.on("data", (data) => (printed += data));
  child.stderr.on("data", (data) => (printed += data));
  try {
    const ended = closed.then(() => Promise.reject(new Error("npm run local:aws ended by itself")));
    return await Promise.race([work(() => printed), ended]);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${printed.slice(-6000)}`, { cause: error });
  } finally {
    interrupt(child);
    await closed;
  }
}

function interrupt({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGINT");
  } catch {
    // It has ended already.
  }
}

/** Tries until `attempt` returns something, and returns that. */
async function waitFor<T>(attempt: () => Promise<T | false | undefined>): Promise<T> {
  for (const deadline = Date.now() + deadlineMs; Date.now() < deadline; await pause(500)) {
    const result = await attempt();
    if (result) return result;
  }
  throw new Error(`npm run local:aws was not ready within ${deadlineMs / 60_000} minutes`);
}

/** The message, once it can be read. */
async function fetchMessage(url: string, credentials: string, id: number): Promise<{ content: string } | undefined> {
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  const reply = await fetch(`${url}/api/v1/messages/${id}?apply_markdown=false`, { headers: { authorization } });
  return ((await reply.json()) as { message?: { content: string } }).message;
}
