import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** The embedded DynamoDB engine of the one-machine host: a child process over one SQLite file. */
export interface Engine {
  url: string;
  stop(): Promise<void>;
}

/** Starts the engine over `dataFolder`; resolves when it answers. */
export async function startEngine(dataFolder: string): Promise<Engine> {
  const port = await freePort();
  const child = spawnTied(
    [engineBinary(), "serve", "--port", String(port), "--db-path", join(dataFolder, "table.db")],
    join(dataFolder, "engine.log"),
  );
  writeFileSync(pidFile(dataFolder), String(child.pid));
  const url = `http://127.0.0.1:${port}`;
  await answering(url, child);
  let stopping = false;
  child.once("exit", () => {
    if (stopping) return;
    console.error("The embedded engine has ended, and with it the host; start it again.");
    process.exit(1);
  });
  return {
    url,
    stop: async () => {
      stopping = true;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin?.end();
      await ended;
    },
  };
}

function engineBinary(): string {
  const named = process.env.SKEIN_DYNOXIDE;
  if (named) return named;
  const packaged = join(
    import.meta.dirname,
    `../../node_modules/@dynoxide/${process.platform}-${process.arch}/dynoxide`,
  );
  if (existsSync(packaged)) return packaged;
  throw new CannotStart(
    `No embedded engine for ${process.platform}-${process.arch}: install dynoxide yourself and name it in SKEIN_DYNOXIDE.`,
  );
}

/**
 * Starts a program that ends when this process ends, in whatever way: a shell holds it and reads our end of a pipe,
 * which the system closes even after a `kill -9`.
 */
function spawnTied([program, ...args]: [string, ...string[]], logFile: string): ChildProcess {
  const log = openSync(logFile, "w");
  const script =
    '"$@" </dev/null & engine=$!; trap "" INT TERM HUP; cat >/dev/null; kill "$engine"; wait "$engine" 2>/dev/null';
  return spawn("/bin/sh", ["-c", script, "sh", program, ...args], {
    stdio: ["pipe", log, log],
    // In a group of its own, so that Ctrl+C in a terminal reaches us alone and we end it in order.
    detached: true,
  });
}

const pidFile = (dataFolder: string) => join(dataFolder, "engine.pid");

/** Something that the person who starts the host can mend. */
export class CannotStart extends Error {
  override name = "CannotStart";
}

/**
 * Makes the data folder, or waits a moment for the engine of a host that was killed to end: two hosts must not work on
 * one folder, and the second is refused.
 */
export async function claimDataFolder(dataFolder: string): Promise<void> {
  mkdirSync(dataFolder, { recursive: true });
  const file = pidFile(dataFolder);
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  for (let attempt = 0; pid > 0 && isRunning(pid); attempt++) {
    if (attempt === 50)
      throw new CannotStart("The data folder is in use by another host (or name another in SKEIN_DATA).");
    await pause(40);
  }
}

/** Whether the process is ours of before: its number may have been given to another program since. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync("/proc/self") || readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("table.db");
  } catch {
    return false;
  }
}

async function answering(url: string, child: ChildProcess) {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (child.exitCode !== null) throw new Error(`The embedded engine ended with code ${child.exitCode}.`);
    const answered = await fetch(url, { signal: AbortSignal.timeout(1000) }).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await pause(10);
  }
  throw new Error("The embedded engine does not answer.");
}

/** A port that was free a moment ago. */
export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
