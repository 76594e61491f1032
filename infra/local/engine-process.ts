import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { addressOf } from "./aws/dispatch.ts";
import { AwsError, jsonError, readAll, refuseBrowsers } from "./aws/protocol.ts";
import { type Credentials, checkSignature } from "./aws/signature.ts";
import { lockFile } from "./data-folder.ts";

/**
 * The process that stands between the host and the engine: it runs the engine, forwards to it what is signed with the
 * host's credentials, ends with the host, and ends when the engine does. The host sends an `EngineSetup` with the socket
 * to listen at, and gets an `EngineReport`.
 */

export interface EngineSetup {
  binary: string;
  dataFolder: string;
  credentials: Credentials;
  /** Where the engine itself listens. */
  host: string;
  port: number;
}

/** `failure` is undefined when the engine answers. */
export interface EngineReport {
  failure?: string;
}

/** How long a start waits for the engine of a host that was killed. */
const lockWaitMs = 10_000;
const startDeadlineMs = 20_000;

/** DynamoDB takes 16 MB in one request. */
const maxBodyBytes = 16 * 1024 * 1024;

if (process.send) process.once("message", (setup, listening) => run(setup as EngineSetup, listening as Server));

async function run(setup: EngineSetup, listening: Server): Promise<void> {
  const { binary, dataFolder, credentials, host, port } = setup;
  const lock = lockFile(join(dataFolder, "engine.lock"), lockWaitMs);
  if (!lock) return fail("the engine of another host still works on the data folder");
  const engine = spawnTied([
    binary,
    ...["serve", "--host", host, "--port", String(port)],
    ...["--db-path", join(dataFolder, "table.db")],
  ]);
  // The host has gone. The engine ends by the end of its standard input, and this process with it.
  process.once("disconnect", () => engine.stdin?.end());
  engine.once("exit", (code) => {
    console.error(`The engine has ended with code ${code}.`);
    process.exit(1);
  });
  if (!process.connected) engine.stdin?.end();
  if (!(await answers(host, port))) return fail("it does not answer");
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, forwarder({ host, port }, credentials));
  server.listen(listening);
  await once(server, "listening");
  report({});
}

function fail(failure: string): never {
  report({ failure });
  process.exit(1);
}

const report = (message: EngineReport) => process.send?.(message);

/**
 * Starts a program that ends when this process ends, in whatever way: a shell holds it and reads our end of a pipe,
 * which the system closes even after a `kill -9`. The shell ends when the program does.
 */
function spawnTied([program, ...args]: [string, ...string[]]) {
  const script = `exec 3<&0
"$@" </dev/null 3<&- & program=$!
(read -r _ <&3; kill "$program") & watcher=$!
trap "" INT TERM HUP
wait "$program"; status=$?
kill "$watcher" 2>/dev/null
exit $status`;
  return spawn("/bin/sh", ["-c", script, "sh", program, ...args], { stdio: ["pipe", "inherit", "inherit"] });
}

async function answers(host: string, port: number): Promise<boolean> {
  const deadline = Date.now() + startDeadlineMs;
  while (Date.now() < deadline) {
    const probe = connect(port, host);
    const answered = await once(probe, "connect").then(
      () => true,
      () => false,
    );
    probe.destroy();
    if (answered) return true;
    await pause(5);
  }
  return false;
}

/** Answers requests by the engine's answers, once their signatures are verified. */
function forwarder(engine: { host: string; port: number }, credentials: Credentials) {
  const agent = new Agent({ keepAlive: true });
  const forward = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await admit(incoming, credentials);
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
          : new AwsError("InternalServerError", "The engine does not answer", { status: 500 });
      const { status, headers, body } = jsonError(error);
      // The rest of a refused body is read, so that the connection can be used again.
      incoming.resume();
      response.writeHead(status, headers);
      response.end(body);
    });
}

/** The body of a request that may pass; throws what AWS answers to others. */
async function admit(incoming: IncomingMessage, credentials: Credentials): Promise<Buffer> {
  const { method = "POST", headers } = incoming;
  refuseBrowsers(headers);
  const { path, query, claim, service } = addressOf(incoming);
  if (!claim || service !== "dynamodb")
    throw new AwsError("MissingAuthenticationTokenException", "The request is not signed for DynamoDB");
  const body = await readAll(incoming, maxBodyBytes);
  checkSignature(claim, { method, path, query, headers }, credentials, hash("sha256", body));
  return body;
}
