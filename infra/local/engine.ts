import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Credentials } from "./aws/signature.ts";
import { CannotStart } from "./data-folder.ts";
import type { EngineReport, EngineSetup } from "./engine-process.ts";

/** The embedded DynamoDB engine of the one-machine host: a child process over one SQLite file. */
export interface Engine {
  /** Answers requests that are signed with the engine's credentials, and no others. */
  url: string;
  stop(): Promise<void>;
}

/** A small heap is enough for a process that passes bytes on. */
const nodeArgs = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=1", "--max-old-space-size=128"];

/**
 * Starts the engine over `dataFolder`; resolves when it answers. The engine itself asks nobody who they are, so it runs
 * where only `engine-process.ts` reaches it, which verifies each request's signature. When the engine or that process
 * ends by itself, `onDeath` is called.
 */
export async function startEngine(
  dataFolder: string,
  credentials: Credentials,
  onDeath: () => void = endHost,
): Promise<Engine> {
  const isolation = networkIsolation();
  const listening = await listen();
  const { port } = listening.address() as AddressInfo;
  const setup: EngineSetup = {
    binary: engineBinary(),
    dataFolder,
    credentials,
    ...(isolation ? { host: "127.0.0.1", port: 8000 } : await unguessableAddress()),
  };
  const log = openSync(join(dataFolder, "engine.log"), "w", 0o600);
  const program = [...nodeArgs, join(import.meta.dirname, "engine-process.ts")];
  const [command, ...args] = [...(isolation ?? []), process.execPath, ...program];
  const child = spawn(command as string, args, {
    stdio: ["ignore", log, log, "ipc"],
    // In a group of its own, so that Ctrl+C in a terminal reaches us alone and we end it in order.
    detached: true,
  });
  child.send(setup, listening);
  await started(child, dataFolder).finally(() => listening.close());
  let stopping = false;
  child.once("exit", () => stopping || onDeath());
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      stopping = true;
      const ended = once(child, "exit");
      // The channel's end is what tells it to stop, also when this process is killed.
      child.disconnect();
      await ended;
    },
  };
}

function endHost(): never {
  console.error("The embedded engine has ended, and with it the host; start it again.");
  process.exit(1);
}

/** Resolves at the child's report that the engine answers; an error says why there is none. */
async function started(child: ChildProcess, dataFolder: string): Promise<void> {
  const report = await new Promise<EngineReport>((resolve) => {
    child.once("message", resolve);
    child.once("error", (error) => resolve({ failure: error.message }));
    child.once("exit", (code, signal) => resolve({ failure: `its process ended with ${signal ?? code}` }));
  });
  if (report.failure === undefined) return;
  child.kill();
  throw new CannotStart(
    `The embedded engine does not start: ${report.failure} (see ${join(dataFolder, "engine.log")}).`,
  );
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
 * The command that runs another in a network namespace of its own, whose ports no other program reaches; undefined where
 * the system lets no ordinary user make one.
 */
function networkIsolation(): string[] | undefined {
  const inside = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const args = ["--user", "--map-root-user", "--net", ...inside];
  return spawnSync("unshare", [...args, "true"], { stdio: "ignore" }).status === 0 ? ["unshare", ...args] : undefined;
}

/**
 * Where the engine listens without a namespace: on Linux any address in 127.0.0.0/8 is this machine's, so a web page that
 * looks for the engine has more than 2^37 places to try. Other users of this machine can see it.
 */
async function unguessableAddress(): Promise<{ host: string; port: number }> {
  const host =
    process.platform === "linux" ? `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}` : "127.0.0.1";
  return { host, port: await freePort(host) };
}

async function listen(host = "127.0.0.1"): Promise<Server> {
  const server = createServer();
  server.listen(0, host);
  await once(server, "listening");
  return server;
}

/** A port that was free a moment ago. */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  const server = await listen(host);
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
