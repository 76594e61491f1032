import { type ChildProcessByStdio, spawn } from "node:child_process";
import { openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

/** A host in a process of its own. */
export interface HostChild {
  url: string;
  /** What its functions have in their environment. */
  environment: Record<string, string>;
  pid: number;
  /** Ends it in order. */
  end(): Promise<void>;
}

/** Starts a host over `dataFolder`, with the organization of test/support/organization.json; `nodeArgs` go to its Node, and
 * all that it logs to `logFile` if there is one. */
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
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...nodeArgs, program, dataFolder], {
    cwd: new URL("../../..", import.meta.url).pathname,
    stdio: ["pipe", "pipe", logFile === undefined ? "inherit" : openSync(logFile, "a")],
    // Cases make more requests than any person; who is about the limits sets them.
    env: {
      ...process.env,
      SKEIN_RATE_LIMITS: "off",
      ...(logFile !== undefined && { SKEIN_TEST_RECORDS: "true" }),
      ...env,
    },
  }) as ChildProcessByStdio<Writable, Readable, null>;
  const started = await new Promise<Pick<HostChild, "url" | "environment">>((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      const line = output.split("\n").find((candidate) => candidate.startsWith("{"));
      if (line && output.includes("\n")) resolve(JSON.parse(line));
    });
    child.once("exit", (code) => reject(new Error(`The host ended with code ${code}`)));
  });
  return {
    ...started,
    pid: child.pid as number,
    end: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      await ended;
    },
  };
}
