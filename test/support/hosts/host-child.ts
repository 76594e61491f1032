import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

/** A host in a child process. */
export interface HostChild {
  child: ChildProcess;
  url: string;
  /** The functions' environment variables. */
  environment: Record<string, string>;
  pid: number;
  /** Stops the host gracefully. */
  end(): Promise<void>;
}

/** The environment variable with the file to which hosts of a test run append what they log. */
export const hostLogVariable = "SKEIN_HOST_LOG";

/**
 * Starts a host over `dataFolder` with the organization of test/support/organization.json. `nodeArgs` are passed to Node. With
 * `logFile`, it logs to that file, also a record of each request; without it to the test run's file, or to this process's
 * standard error if there is none.
 */
export async function startHostChild(
  dataFolder: string,
  {
    env = {},
    nodeArgs = [],
    program = "test/support/hosts/host-process.ts",
    logFile,
  }: {
    env?: Record<string, string>;
    nodeArgs?: readonly string[];
    program?: string;
    logFile?: string | undefined;
  } = {},
): Promise<HostChild> {
  const logPath = logFile ?? process.env[hostLogVariable];
  const log = logPath === undefined ? "inherit" : openSync(logPath, "a");
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...nodeArgs, program, dataFolder], {
    cwd: new URL("../../..", import.meta.url).pathname,
    stdio: ["pipe", "pipe", log],
    // Tests make more requests than the rate limits allow. Tests of the limits set them in `env`.
    env: {
      ...process.env,
      // The test's own process has the URL of the host that all files share.
      SKEIN_URL: undefined,
      SKEIN_RATE_LIMITS: "off",
      ...(logFile !== undefined && { SKEIN_TEST_RECORDS: "true" }),
      ...env,
    },
  }) as ChildProcessByStdio<Writable, Readable, null>;
  if (typeof log === "number") closeSync(log);
  const started = await new Promise<Pick<HostChild, "url" | "environment">>((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      const completeLines = output.split("\n").slice(0, -1);
      const line = completeLines.find((candidate) => candidate.startsWith("{"));
      if (line) resolve(JSON.parse(line));
    });
    child.once("exit", (code) => reject(new Error(`The host ended with code ${code}`)));
  });
  return {
    ...started,
    child,
    pid: child.pid as number,
    end: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      await ended;
    },
  };
}
