import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { Agent, type ClientRequestArgs } from "node:http";
import { type AddressInfo, createServer, type Server, Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import type { Credentials } from "./aws/signature.ts";
import { CannotStartError } from "./data-folder.ts";
import type { EngineReport, EngineRequest, EngineSetup } from "./engine-process.ts";

/** The embedded DynamoDB engine of the one-machine host: a child process that stores the table in one SQLite file. */
export interface Engine {
  /** For other processes. Accepts only requests that are signed with the engine's credentials. */
  url: string;
  /** For this process: its connections end in the engine itself, which verifies no signatures. */
  clientOptions: DynamoDBClientConfig;
  stop(): Promise<void>;
}

/** The options of engine-process.ts, which handles few requests: a small heap is enough. */
const nodeArgs = ["--disable-warning=ExperimentalWarning", "--max-old-space-size=128"];

/** The engine requires a signature, but does not verify it: computing one would cost processor time for nothing. */
const unverifiedSignature = {
  "x-amz-date": "20260101T000000Z",
  authorization:
    "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
};

/** As many as the SDK opens by default. */
const maxConnections = 50;

/**
 * Starts the engine with its data in `dataFolder`; resolves when it accepts connections. The engine itself has no
 * authentication, so only `engine-process.ts` connects to it: it passes connections to this process, and forwards requests of
 * others if their signature is valid. If the engine or that process ends unexpectedly, `onUnexpectedExit` is called.
 */
export async function startEngine(
  dataFolder: string,
  credentials: Credentials,
  onUnexpectedExit: () => void = endHost,
): Promise<Engine> {
  const isolation = isolationCommand();
  const server = await listen();
  const { port } = server.address() as AddressInfo;
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
    // In a process group of its own, so that Ctrl+C only reaches this process, which then stops the engine gracefully.
    detached: true,
  });
  child.send(setup, server);
  await waitUntilStarted(child, dataFolder).finally(() => server.close());
  let stopping = false;
  child.once("exit", () => stopping || onUnexpectedExit());
  return {
    url: `http://127.0.0.1:${port}`,
    clientOptions: {
      requestHandler: { httpAgent: new EngineAgent(child) },
      signer: { sign: async (request) => ({ ...request, headers: { ...request.headers, ...unverifiedSignature } }) },
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      stopping = true;
      const ended = once(child, "exit");
      // Closing the IPC channel tells the child to stop; the same happens if this process is killed.
      child.disconnect();
      await ended;
    },
  };
}

type ConnectionCallback = (error: Error | null, socket: Duplex) => void;

/** Gets its connections from `engine-process.ts`: whoever holds one needs no access to the engine's network namespace. */
class EngineAgent extends Agent {
  readonly #child: ChildProcess;
  readonly #waiting: ConnectionCallback[] = [];

  constructor(child: ChildProcess) {
    super({ keepAlive: true, maxSockets: maxConnections });
    this.#child = child;
    child.on("message", ({ failure }: EngineReport, socket) => {
      this.#waiting.shift()?.(failure === undefined ? null : new Error(failure), socket as Socket);
    });
    child.once("disconnect", this.#failWaiting);
  }

  override createConnection(_: ClientRequestArgs, callback?: ConnectionCallback): undefined {
    if (callback) this.#waiting.push(callback);
    this.#child.send("connect" satisfies EngineRequest, (error) => error && this.#failWaiting());
  }

  readonly #failWaiting = () => {
    for (const callback of this.#waiting.splice(0)) callback(new Error("The embedded engine has ended"), new Socket());
  };
}

function endHost(): never {
  console.error("The embedded engine has exited, so the host stops too; start it again.");
  process.exit(1);
}

/** Resolves once the child reports that the engine accepts connections; otherwise throws CannotStartError with the reason. */
async function waitUntilStarted(child: ChildProcess, dataFolder: string): Promise<void> {
  const report = await new Promise<EngineReport>((resolve) => {
    child.once("message", resolve);
    child.once("error", (error) => resolve({ failure: error.message }));
    child.once("exit", (code, signal) => resolve({ failure: `its process exited with ${signal ?? code}` }));
  });
  if (report.failure === undefined) return;
  child.kill();
  throw new CannotStartError(
    `The embedded engine could not be started: ${report.failure} (see ${join(dataFolder, "engine.log")}).`,
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
  throw new CannotStartError(
    `No embedded engine for ${process.platform}-${process.arch}: install dynoxide and set SKEIN_DYNOXIDE to its path.`,
  );
}

/**
 * The command prefix that runs a program in its own network namespace, whose ports no other program can reach; undefined
 * if the system does not let unprivileged users create one.
 */
function isolationCommand(): string[] | undefined {
  const innerCommand = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  const args = ["--user", "--map-root-user", "--net", ...innerCommand];
  return spawnSync("unshare", [...args, "true"], { stdio: "ignore" }).status === 0 ? ["unshare", ...args] : undefined;
}

/**
 * The engine's address if there is no namespace. On Linux all of 127.0.0.0/8 is loopback, so a web page that scans for the
 * engine has more than 2^37 combinations of address and port to try. Other users of this machine can still look up the address.
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

/** A free port; another program may take it before it is used. */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  const server = await listen(host);
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
