import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { roles } from "../../shared/base/schema/roles.ts";
import { addChannel } from "../../shared/features/channels/create.ts";
import { addUser } from "../../shared/features/users/create.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { startHostChild } from "../../test/support/hosts/host-child.ts";
// Separates the caches of different tables in this process, and suppresses the lines of requests.
import "../../test/support/test-process.ts";

/** A user with an API key. */
export interface Actor {
  id: number;
  email: string;
  apiKey: string;
}

/** A host for the bench, whose table this process can write to through the store. */
export interface BenchHost {
  url: string;
  environment: Record<string, string>;
  pid: number;
  dataFolder: string;
  stop(): Promise<void>;
}

export async function startBenchHost(options: Parameters<typeof startHostChild>[1] = {}): Promise<BenchHost> {
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-bench-"));
  const { url, environment, pid, end } = await startHostChild(dataFolder, { nodeArgs: process.execArgv, ...options });
  // From now on the store of this process uses the host's table.
  Object.assign(process.env, environment);
  return {
    ...{ url, environment, pid, dataFolder },
    stop: async () => {
      await end();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Runs a measurement on a host of its own. */
export async function onBenchHost<T>(measure: (host: BenchHost) => Promise<T>): Promise<T> {
  const host = await startBenchHost();
  try {
    return await measure(host);
  } finally {
    await host.stop();
  }
}

let createdUsers = 0;

/** Creates users with accounts and API keys. */
export async function createUsers(count: number): Promise<Actor[]> {
  const actors: Actor[] = [];
  for (let n = 0; n < count; n++) {
    const number = ++createdUsers;
    const email = `bencher-${number}@globe.test`;
    const { user, apiKey } = await addUser({ email, fullName: `Bencher ${number}`, role: roles.member });
    actors.push({ id: user.id, email, apiKey });
  }
  return actors;
}

export const createChannel = (name: string, subscribers: readonly Actor[]): Promise<Channel> =>
  addChannel(
    { name },
    null,
    subscribers.map(({ id }) => id),
  );

/** A process's resident memory in MB, including shared libraries. */
export const residentMb = (pid: number): number => memoryMb(pid, "VmRSS");

/** The most resident memory in MB that a process has had. */
export const peakMb = (pid: number): number => memoryMb(pid, "VmHWM");

function memoryMb(pid: number, name: "VmRSS" | "VmHWM"): number {
  const [, kilobytes = "0"] =
    new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** Milliseconds of CPU that a process has used, in the kernel's steps of ten. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The process's name, in parentheses, may contain anything; the times are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
