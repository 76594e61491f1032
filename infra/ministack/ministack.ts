import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { emulatorCredentials } from "./emulator-url.ts";
import { applyPatches, holdPrefix, patchesVersion } from "./ministack-patches.ts";

/**
 * Runs MiniStack (1.5.33), an AWS emulator in one Python process. Its known differences from AWS:
 * - `AUTH=true` evaluates IAM policies by the access key alone: signatures are not verified, and the key "test" is its root
 *   user. Each function runs with the credentials of its own role. `iam:PassRole`, and what Scheduler's role may send, are
 *   not evaluated.
 * - Its Lambdas run the `node` on PATH, in processes that end LAMBDA_WARM_TTL_SECONDS after their last request. They inherit
 *   its environment, including NODE_OPTIONS, which must therefore not contain our AWS_ENDPOINT_URL or a profile.
 * - `Ref` of a secret returns its name instead of its ARN; SendMessageBatch is evaluated as an action of that name.
 * - Calls of Scheduler are evaluated as if every schedule were in the group "default".
 * - A schedule whose target does not exist is dropped instead of sent to its dead-letter queue.
 * - The gateway answers OPTIONS itself, with 403 where no CORS is configured, and decodes a path before it finds the route.
 * - An API is selected by the header `Host: <apiId>.execute-api.localhost:<port>`.
 *
 * `ministack-patches.ts` patches further differences: APIs from OpenAPI documents, an error in updates of nested stacks, changes of a
 * stack on which an operation is at work, and slow operations.
 */
export const version = "1.5.33";

/** Identifies the required virtual environment: the versions of MiniStack and of its patches. */
const requiredStamp = `${version}, mended ${patchesVersion}`;

const root = resolve(import.meta.dirname, "..", "..");
const environmentFolder = join(root, ".cache", "ministack");

export interface MiniStack {
  url: string;
  port: number;
  /** The environment variables with which AWS clients and `cdk` reach MiniStack as its root user. */
  env: Record<string, string>;
  /** Receives MiniStack's output. */
  logFile: string;
  /** Has operations on a stack stop half-way; returns what lets them continue. */
  holdStack: (name: string) => () => void;
  stop: () => Promise<void>;
}

/** Creates the virtual environment of MiniStack, once. */
export function installMiniStack(): void {
  const stamp = join(environmentFolder, ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === requiredStamp) return;
  console.log(`Installing MiniStack ${version} into .cache/ministack (once) ...`);
  rmSync(environmentFolder, { recursive: true, force: true });
  mkdirSync(dirname(environmentFolder), { recursive: true });
  try {
    execFileSync("python3", ["-m", "venv", environmentFolder], { stdio: ["ignore", "inherit", "inherit"] });
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `ministack==${version}`];
    execFileSync(join(environmentFolder, "bin", "python"), pip, { stdio: ["ignore", "inherit", "inherit"] });
  } catch (error) {
    throw new Error(
      "MiniStack could not be installed. It needs python3 (3.10 or later) with its venv module, " +
        `and a Python package index that has ministack ${version}.`,
      { cause: error },
    );
  }
  applyPatches(environmentFolder);
  writeFileSync(stamp, requiredStamp);
}

interface MiniStackOptions {
  /** The file for its output. */
  logFile: string;
  /** The port of 127.0.0.1; by default a free one. */
  port?: number;
  /** A TypeScript module that every function imports before anything else. */
  preload?: string;
  /** The folder in which it keeps its state when it is stopped; without it, the state is lost. */
  stateFolder?: string;
}

/** Starts a MiniStack on 127.0.0.1 and resolves when it is healthy. */
export async function startMiniStack({ logFile, preload, stateFolder, ...options }: MiniStackOptions) {
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const credentials = { ...emulatorCredentials, AWS_DEFAULT_REGION: emulatorCredentials.AWS_REGION };
  const folder = workFolder();
  const preloadScript = join(folder, "first.mjs");
  // Precompiled, because each of a thousand processes would otherwise load a TypeScript compiler, which would take a third
  // of its start-up time.
  if (preload) writeFileSync(preloadScript, stripTypeScriptTypes(readFileSync(preload, "utf8")));
  const log = openSync(logFile, "w");
  const child = spawn(join(environmentFolder, "bin", "ministack"), [], {
    cwd: dirname(logFile),
    stdio: ["ignore", log, log],
    // In its own process group, so that its functions' processes can be ended with it.
    detached: true,
    env: {
      PATH: [dirname(process.execPath), join(environmentFolder, "bin"), process.env.PATH].join(delimiter),
      HOME: process.env.HOME,
      TMPDIR: folder,
      ...credentials,
      ...(preload && { NODE_OPTIONS: `--import=${pathToFileURL(preloadScript).href}` }),
      AUTH: "true",
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      LAMBDA_WARM_TTL_SECONDS: "90",
      LOG_LEVEL: "INFO",
      ...(stateFolder && {
        ...{ PERSIST_STATE: "1", STATE_DIR: join(stateFolder, "services") },
        ...{ S3_PERSIST: "1", S3_DATA_DIR: join(stateFolder, "s3") },
      }),
    },
  });
  closeSync(log);
  const stop = async () => {
    await stopProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilHealthy(child, url, logFile);
  } catch (error) {
    await stop();
    throw error;
  }
  const env = { ...credentials, AWS_ENDPOINT_URL: url, AWS_EC2_METADATA_DISABLED: "true" };
  const holdStack = (name: string) => {
    const file = join(folder, `${holdPrefix}${name}`);
    writeFileSync(file, "");
    return () => rmSync(file);
  };
  return { url, port, logFile, holdStack, stop, env } satisfies MiniStack;
}

/**
 * The folder into which MiniStack unpacks functions. MiniStack's own worker in it is CommonJS; the package.json keeps it so,
 * whatever a package.json in a parent folder says.
 */
function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "skein-ministack-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }');
  return folder;
}

/** The last lines of a MiniStack's output. */
export const logTail = ({ logFile }: MiniStack, lines = 40) =>
  readFileSync(logFile, "utf8").split("\n").slice(-lines).join("\n");

async function waitUntilHealthy(child: ChildProcess, url: string, logFile: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null || child.pid === undefined) break;
    const reply = await fetch(`${url}/_ministack/health`).catch(() => undefined);
    if (reply?.ok) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`MiniStack did not start; see ${logFile}`);
}

/** How long a MiniStack may take to save its state. */
const stopDeadlineMs = 30_000;

async function stopProcess(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const exited = new Promise<void>((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done();
    else child.once("exit", () => done());
  });
  // MiniStack alone: it saves its state, and ends its functions itself.
  child.kill("SIGTERM");
  const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), stopDeadlineMs);
  await exited;
  clearTimeout(timer);
  // Ends the functions that are still running.
  signalGroup(pid, "SIGKILL");
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has no processes left.
  }
}

export const freePort = () =>
  new Promise<number>((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
