import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { ordinaryText } from "../test/support/table/seeding.ts";
import { type Actor, type BenchHost, cpuMs, createChannel, createUsers, onBenchHost } from "./host/bench-host.ts";
import { Client } from "./host/client.ts";
import { percentiles } from "./host/load.ts";
import { type Section, table } from "./section.ts";

const roomSizes = [1, 100, 1_000] as const;
const connections = 16;
const messages = 1_000;
const fetches = 200;
const people = 1_000;
/** How many people an administrator's program creates at a time. */
const creators = 4;
/** Longer than the time for which the host batches messages for the log's subscribers. */
const batchingMs = 2_500;
const warmUp = 100;

interface RoomFigures {
  members: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU of the host for one message and all that follows. */
  cpuMs: number;
  diskKb: number;
}

interface OneMachineFigures {
  rooms: RoomFigures[];
  /** The CPU of a fetch of 100 messages, by the number of connections. */
  fetchCpuMs: Record<1 | 16, number>;
  peopleSeconds: number;
}

/** What one machine needs for a message with all that follows, for a fetch, and for new people. */
export const oneMachine: Section<OneMachineFigures> = {
  name: "one-machine",
  document: "docs/speed.md",
  title: "A message with all that follows, on one machine",
  measure: () => onBenchHost(measured),
  text: ({ rooms, fetchCpuMs, peopleSeconds }) =>
    [
      `${messages.toLocaleString("en")} messages to a topic over ${connections} connections, with email on. CPU and disk are those of the host`,
      "until all follow-up work is done, including the search index, email and the traffic of channels.",
      "",
      table(
        ["members", "messages/s", "p50 ms", "p99 ms", "CPU ms a message", "disk KB a message"],
        rooms.map((room) => [
          room.members.toLocaleString("en"),
          Math.round(room.perSecond),
          ...[room.p50Ms, room.p99Ms, room.cpuMs, room.diskKb].map((n) => n.toFixed(1)),
        ]),
      ),
      "",
      `A fetch of 100 messages of a topic takes ${fetchCpuMs[1].toFixed(1)} ms of CPU, and ${fetchCpuMs[16].toFixed(1)} ms at 16 connections. ${people.toLocaleString("en")} people are created in`,
      `${Math.round(peopleSeconds)} s by \`POST /users\`, ${creators} at a time. Hashing passwords takes most of that, on both processors.`,
      "",
      ...unreachedGoals({ rooms, fetchCpuMs, peopleSeconds }),
      "",
      "One thread runs all requests. In a profile of sending messages, no function takes more than 4%: 11% is garbage collection, 14%",
      "SQLite with reading and writing its items, 10% HTTP, 6% rendering, 5% compressing the log's entries, 4% waiting for the disk, and the rest is",
      "spread over some hundred functions of authentication, permissions and the log. In a fetch, 18% is garbage collection and 13% SQLite.",
    ].join("\n"),
};

/** The goals that the figures miss. */
function unreachedGoals({ rooms, fetchCpuMs, peopleSeconds }: OneMachineFigures): string[] {
  const ofRooms = rooms.flatMap(({ members, perSecond, p99Ms, cpuMs, diskKb }) => {
    const minPerSecond = members === 1_000 ? 280 : 300;
    const missed = [
      ...(perSecond < minPerSecond ? [`${minPerSecond} messages/s`] : []),
      ...(p99Ms > 150 ? ["150 ms at the 99th percentile"] : []),
      ...(cpuMs > 5 ? ["5 ms of CPU a message"] : []),
      ...(diskKb > 2 ? ["2 KB of disk a message"] : []),
    ];
    return missed.length > 0 ? [`with ${members.toLocaleString("en")} members ${missed.join(", ")}`] : [];
  });
  const goals = [
    ...ofRooms,
    ...(Math.max(fetchCpuMs[1], fetchCpuMs[16]) > 7 ? ["7 ms of CPU for a fetch"] : []),
    ...(peopleSeconds > 60 ? [`${people.toLocaleString("en")} people in 60 s`] : []),
  ];
  return [goals.length > 0 ? `Goals that are not reached: ${goals.join("; ")}.` : "All goals are reached."];
}

async function measured(host: BenchHost): Promise<OneMachineFigures> {
  const client = new Client(host.url, connections);
  const call = async (actor: Actor, ...request: [string, string, Record<string, unknown>]) => {
    const { status, bytes } = await client.call(actor, ...request);
    if (status !== 200) throw new Error(`${request[1]}: ${bytes}`);
    return JSON.parse(String(bytes));
  };
  const users = await createUsers(Math.max(...roomSizes));
  const [reader] = users as [Actor];
  const rooms: RoomFigures[] = [];
  let narrow: object[] = [];
  for (const members of roomSizes) {
    const channel = await createChannel(`room of ${members}`, users.slice(0, members));
    narrow = [
      { operator: "channel", operand: channel.id },
      { operator: "topic", operand: "breach" },
    ];
    const send = async (n: number) => {
      const startedAt = performance.now();
      const params = { type: "channel", to: channel.id, topic: "breach", content: ordinaryText };
      await call(users[n % members] as Actor, "POST", "/messages", params);
      return performance.now() - startedAt;
    };
    await inParallel(warmUp, send);
    await untilIdle(host);
    const [cpuBefore, diskBefore, startedAt] = [usedMs(host), diskKbOf(host), performance.now()];
    const durationsMs = await inParallel(messages, send);
    const perSecond = messages / ((performance.now() - startedAt) / 1000);
    await untilIdle(host);
    rooms.push({
      ...{ members, perSecond, ...percentiles(durationsMs) },
      cpuMs: (usedMs(host) - cpuBefore) / messages,
      diskKb: (diskKbOf(host) - diskBefore) / messages,
    });
  }
  const fetch = () => call(reader, "GET", "/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow });
  const fetchCpuMs = { 1: 0, 16: 0 };
  for (const count of [1, 16] as const) {
    await inParallel(20, fetch, count);
    const before = usedMs(host);
    await inParallel(fetches, fetch, count);
    fetchCpuMs[count] = (usedMs(host) - before) / fetches;
  }
  const peopleSeconds = await secondsToCreate(people, host, call);
  client.close();
  return { rooms, fetchCpuMs, peopleSeconds };
}

async function secondsToCreate(
  count: number,
  host: BenchHost,
  call: (actor: Actor, method: string, path: string, params: Record<string, unknown>) => Promise<{ api_key: string }>,
): Promise<number> {
  const email = "owner@globe.test";
  const { api_key: apiKey } = await call({ id: 0, email, apiKey: "" }, "POST", "/dev_fetch_api_key", {
    username: email,
  });
  const owner = { id: 0, email, apiKey };
  const startedAt = performance.now();
  const create = (n: number) =>
    call(owner, "POST", "/users", {
      ...{ email: `newcomer-${n}@globe.test`, password: `pass-${n}-verona`, full_name: `Newcomer ${n}` },
    });
  await inParallel(count, create, creators);
  const seconds = (performance.now() - startedAt) / 1000;
  await untilIdle(host);
  return seconds;
}

/** Runs work so many times with a number of runs at once. */
async function inParallel<T>(
  count: number,
  work: (n: number) => Promise<T>,
  width: number = connections,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) results.push(await work(next++));
    }),
  );
  return results;
}

const usedMs = ({ pid }: BenchHost) => cpuMs(pid);

const diskKbOf = ({ dataFolder }: BenchHost) =>
  Number(execFileSync("du", ["-sk", dataFolder], { encoding: "utf8" }).split("\t")[0]);

/** Resolves when the host has done what follows from earlier requests. */
async function untilIdle(host: BenchHost): Promise<void> {
  const idleMs = 50;
  for (let before = usedMs(host), quietMs = 0; quietMs < batchingMs; ) {
    await pause(500);
    const now = usedMs(host);
    quietMs = now - before <= idleMs ? quietMs + 500 : 0;
    before = now;
  }
}
