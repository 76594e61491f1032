import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../infra/local/engine.ts";
import { ordinaryText } from "../../test/support/table/seeding.ts";
import { type Actor, cpuMs } from "../host/bench-host.ts";
import { Client } from "../host/client.ts";
import { type LoadRun, load } from "../host/load.ts";
import { delayedEngine } from "./slow-engine.ts";

/** The host of one of two versions that are compared, with an organization of 16 people and one channel. */
export interface Side {
  url: string;
  pid: number;
  actors: Actor[];
  /** For each actor, an event queue in which no event arrives. */
  queues: string[];
  stop(): Promise<void>;
}

export type Request = [method: string, path: string, params?: Record<string, unknown>];

/** The request that a connection makes in its run `run`. */
type RequestOf = (side: Side, connection: number, run: number) => Request;

const setupConnections = 8;
const people = Array.from({ length: 16 }, (_, n) => ({ email: `p${n}@bench.test`, full_name: `Person ${n}` }));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

/** Starts the host of a checkout. With `delayMs` each reply of its table is that much later. */
export async function startSide(checkout: string, { delayMs = 0 } = {}): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), "skein-compare-"));
  const [owner, ...members] = people;
  const organization = join(folder, "organization.json");
  writeFileSync(
    organization,
    JSON.stringify({
      name: "Bench",
      users: [{ ...owner, role: "owner", password: "threads-and-engines" }, ...members],
      channels: [{ name: "general", is_default_stream: true }],
    }),
  );
  const port = await freePort();
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "infra/local/start.ts"], {
    cwd: resolve(checkout),
    env: {
      ...process.env,
      PORT: String(port),
      SKEIN_DATA: join(folder, "data"),
      SKEIN_ORG: organization,
      SKEIN_MAIL_FROM: "",
      SKEIN_RATE_LIMITS: "off",
      ...(delayMs > 0 && { SKEIN_DYNOXIDE: delayedEngine(folder, resolve(checkout), delayMs) }),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise((done) => child.once("exit", done));
  // Hosts of older versions do not end by themselves when this process fails or is interrupted.
  process.once("exit", () => child.kill("SIGTERM"));
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/api/v1/server_settings`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`The host of ${checkout} ended with code ${child.exitCode}.`);
    await pause(100);
  }
  const actors = await Promise.all(people.map(({ email }) => actorOf(url, email)));
  const side = { url, pid: child.pid as number, actors, queues: [] as string[] };
  side.queues.push(...(await queuesOf(side, ["muted_users"])));
  return {
    ...side,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function actorOf(url: string, email: string): Promise<Actor> {
  const body = new URLSearchParams({ username: email });
  const reply = await fetch(`${url}/api/v1/dev_fetch_api_key`, { method: "POST", body });
  const { api_key, user_id } = (await reply.json()) as { api_key: string; user_id: number };
  return { id: user_id, email, apiKey: api_key };
}

/** Registers an event queue of each actor for some types of events. */
export const queuesOf = (side: Pick<Side, "url" | "actors">, event_types: readonly string[]): Promise<string[]> =>
  withClient(side, setupConnections, (call) =>
    Promise.all(
      side.actors.map(async (actor) => (await call(actor, "POST", "/register", { event_types })).queue_id as string),
    ),
  );

/** Sends messages to the channel, `countPerActor` from every actor, and returns their IDs by actor. */
export const sendMessages = (
  side: Pick<Side, "url" | "actors">,
  topic: string,
  countPerActor: number,
): Promise<number[][]> =>
  withClient(side, setupConnections, (call) =>
    Promise.all(
      side.actors.map(async (actor) => {
        const ids: number[] = [];
        while (ids.length < countPerActor) ids.push((await call(actor, ...message(topic))).id);
        return ids;
      }),
    ),
  );

export const message = (topic: string): Request => [
  "POST",
  "/messages",
  { type: "channel", to: "general", topic, content: ordinaryText },
];

/** A narrow to one topic of the channel. */
export const narrowTo = (topic: string) => [
  { operator: "channel", operand: "general" },
  { operator: "topic", operand: topic },
];

/** Sends a side the requests of as many connections for some seconds; throws when one fails. */
export const measure = (
  side: Side,
  connections: number,
  seconds: number,
  { request, undo }: { request: RequestOf; undo?: RequestOf | undefined },
): Promise<LoadRun> =>
  withClient(side, connections, (call) => {
    const send = (requestOf: RequestOf) => async (n: number, run: number) => {
      await call(side.actors[n % people.length] as Actor, ...requestOf(side, n, run));
    };
    return load(connections, seconds, send(request), { undo: undo && send(undo) });
  });

type Call = (actor: Actor, ...request: Request) => Promise<any>;

async function withClient<T>({ url }: Pick<Side, "url">, connections: number, use: (call: Call) => Promise<T>) {
  const client = new Client(url, connections);
  try {
    return await use(async (actor, ...request) => {
      const { status, bytes } = await client.call(actor, ...request);
      if (status !== 200) throw new Error(`${request.slice(0, 2).join(" ")}: ${bytes}`);
      return JSON.parse(String(bytes));
    });
  } finally {
    client.close();
  }
}

const checkIntervalMs = 250;
/** A host that uses less CPU time between two checks counts as idle. */
const busyMs = 20;
const quietMs = 2500;
const maxWaitMs = 30_000;

/**
 * Waits until both hosts have done nothing for longer than the two seconds for which their background work is batched. The
 * search index of many messages would otherwise hold up the requests that follow.
 */
export async function untilQuiet(sides: readonly Side[]): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  const cpuTimes = () => sides.map(({ pid }) => cpuMs(pid));
  for (let quietSince = performance.now(), before = cpuTimes(); performance.now() < deadline; ) {
    await pause(checkIntervalMs);
    const now = cpuTimes();
    if (now.some((ms, index) => ms - (before[index] ?? 0) > busyMs)) quietSince = performance.now();
    if (performance.now() - quietSince >= quietMs) return;
    before = now;
  }
}
