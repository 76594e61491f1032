import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseRequest } from "./aws/dispatch.ts";
import { AwsError, jsonError, readAll, refuseBrowsers } from "./aws/protocol.ts";
import { type Credentials, checkSignature } from "./aws/signature.ts";
import { lockFile } from "./data-folder.ts";

/**
 * The process that runs the engine, and ends with the host or with the engine. The host sends it an `EngineSetup` with the
 * socket to listen on, and gets an `EngineReport`; then it sends an `EngineRequest` for each connection to the engine that it
 * needs, and gets it as a socket with another `EngineReport`. Requests of other processes arrive at the socket to listen on; those
 * that are signed with the host's credentials are forwarded to the engine.
 */

export interface EngineSetup {
  binary: string;
  dataFolder: string;
  credentials: Credentials;
  /** The engine's own address. */
  host: string;
  port: number;
}

/** The result of the start or of connecting: `failure` is undefined if the engine accepts connections. */
export interface EngineReport {
  failure?: string;
}

/** What the host asks for after the start: a connection to the engine. */
export type EngineRequest = "connect";

/** How long a start waits for the engine of a killed host to end. */
const lockWaitMs = 10_000;
const startDeadlineMs = 20_000;
const probeIntervalMs = 5;
/** How often this process checks whether the host still runs. */
const hostCheckMs = 500;

/** DynamoDB's limit for a request. */
const maxBodyBytes = 16 * 1024 * 1024;

if (process.send) process.once("message", (setup, socket) => run(setup as EngineSetup, socket as Server));

async function run(setup: EngineSetup, socket: Server): Promise<void> {
  const { binary, dataFolder, credentials, host, port } = setup;
  const lock = lockFile(join(dataFolder, "engine.lock"), lockWaitMs);
  if (!lock) return fail("another host's engine is still using the data folder");
  const engine = spawnBoundToThisProcess([
    binary,
    ...["serve", "--host", host, "--port", String(port)],
    ...["--db-path", join(dataFolder, "table.db")],
  ]);
  // When the host has ended: closing the engine's standard input ends the engine, and the engine's exit ends this process.
  const endEngine = () => engine.stdin?.end();
  process.once("disconnect", endEngine);
  // Node does not emit the event if the host was killed while it sent a message, of which a part has arrived.
  setInterval(() => process.connected || endEngine(), hostCheckMs).unref();
  engine.once("exit", (code) => {
    console.error(`The engine exited with code ${code}.`);
    process.exit(1);
  });
  if (!(await waitUntilReachable(host, port))) return fail("it does not accept connections");
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, forwarder({ host, port }, credentials));
  server.listen(socket);
  await once(server, "listening");
  process.on("message", () => passConnection(host, port));
  report({});
}

/** Connects to the engine and passes the connection to the host. */
function passConnection(host: string, port: number): void {
  const socket = connect({ host, port, noDelay: true });
  // A paused socket does not read: this process would otherwise compete with the host for the first reply.
  socket.pause();
  // If the host has ended meanwhile, this process ends too: sending needs no success.
  socket.once("connect", () => process.send?.({} satisfies EngineReport, socket, {}, () => {}));
  socket.once("error", ({ message }) => report({ failure: message }));
}

function fail(failure: string): never {
  report({ failure });
  process.exit(1);
}

const report = (message: EngineReport) => process.send?.(message);

/**
 * Starts a program that ends when this process ends, even by `kill -9`: a shell runs it and reads from a pipe whose other
 * end the operating system closes with this process. The shell ends when the program does.
 */
function spawnBoundToThisProcess([program, ...args]: [string, ...string[]]) {
  const script = `exec 3<&0
"$@" </dev/null 3<&- & program=$!
(read -r _ <&3; kill "$program") & watcher=$!
trap "" INT TERM HUP
wait "$program"; status=$?
kill "$watcher" 2>/dev/null
exit $status`;
  return spawn("/bin/sh", ["-c", script, "sh", program, ...args], { stdio: ["pipe", "inherit", "inherit"] });
}

async function waitUntilReachable(host: string, port: number): Promise<boolean> {
  const deadline = Date.now() + startDeadlineMs;
  while (Date.now() < deadline) {
    const probe = connect(port, host);
    const answered = await once(probe, "connect").then(
      () => true,
      () => false,
    );
    probe.destroy();
    if (answered) return true;
    await pause(probeIntervalMs);
  }
  return false;
}

/** Forwards requests with a valid signature to the engine. */
function forwarder(engine: { host: string; port: number }, credentials: Credentials) {
  const agent = new Agent({ keepAlive: true });
  const forward = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await verifiedBody(incoming, credentials);
    const outgoing = request({
      ...engine,
      agent,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, "content-length": body.length },
    });
    outgoing.end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  };
  return (incoming: IncomingMessage, response: ServerResponse) =>
    forward(incoming, response).catch((cause: unknown) => {
      if (!(cause instanceof AwsError)) console.error(cause);
      const error =
        cause instanceof AwsError
          ? cause
          : new AwsError("InternalServerError", "The engine does not respond", { status: 500 });
      const { status, headers, body } = jsonError(error);
      // Drains the rest of a refused body, so that the connection can be reused.
      incoming.resume();
      response.writeHead(status, headers);
      response.end(body);
    });
}

/** Reads the body of a request with a valid signature; throws AWS's error for any other. */
async function verifiedBody(incoming: IncomingMessage, credentials: Credentials): Promise<Buffer> {
  const { method = "POST", headers } = incoming;
  refuseBrowsers(headers);
  const { path, query, signed, service } = parseRequest(incoming);
  if (!signed || service !== "dynamodb")
    throw new AwsError("MissingAuthenticationTokenException", "The request is not signed for DynamoDB");
  const body = await readAll(incoming, maxBodyBytes);
  checkSignature(signed, { method, path, query, headers }, credentials, hash("sha256", body));
  return body;
}
