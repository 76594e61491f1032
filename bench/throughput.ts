import { aHistory, ordinaryText } from "../test/support/table/seeding.ts";
import { type Actor, type BenchHost, cpuMs, createChannel, createUsers, onBenchHost } from "./host/bench-host.ts";
import { Client } from "./host/client.ts";
import { type LoadResult, type LoadRun, load, summarize } from "./host/load.ts";
import { finishBackgroundWork } from "./host/log-subscribers.ts";
import { type Section, table } from "./section.ts";

const connectionCounts = [1, 16] as const;
/** The length of each turn, after which the log's subscribers finish their work. */
const turnSeconds = 0.5;
const turnCount = 4;
const warmUpSeconds = 0.3;

interface LoadRequest {
  /** The request that connection `n` makes in its run `run`. */
  request: (n: number, run: number) => [method: string, path: string, params?: Record<string, unknown>];
  /** The request, and what it writes, repeats after this many runs. */
  cycle: number;
  /** Whether the log's subscribers have work to do afterwards. */
  leavesBackgroundWork?: boolean;
}

interface ThroughputRow {
  operation: string;
  connections: number;
  result: LoadResult;
  /** CPU of the host for a request. */
  cpuMs: number;
  /** How long the log's subscribers work on one request afterwards. */
  backgroundMs?: number;
}

const [ownTopics, oneTopic] = ["send: one writer each, own topic", "send: many writers, one topic"];

/** Throughput of concurrent requests. */
export const throughput: Section<ThroughputRow[]> = {
  name: "throughput",
  document: "docs/speed.md",
  title: "Throughput",
  measure: () => onBenchHost(measured),
  text: (figures) =>
    [
      "Each row sends one kind of request over HTTP, from as many users at once as there are connections. CPU is that of the host.",
      ...backgroundWork(figures),
      "",
      table(
        ["request", "connections", "requests/s", "p50 ms", "p99 ms", "CPU ms a request"],
        figures.map(({ operation, connections, result, cpuMs }) => [
          ...[operation, connections],
          ...[result.requestsPerSecond, result.p50Ms, result.p99Ms, cpuMs].map((n) =>
            n >= 100 ? Math.round(n) : n.toFixed(1),
          ),
        ]),
      ),
      ...writersCompared(figures),
    ].join("\n"),
};

const rowOf = (figures: readonly ThroughputRow[], operation: string, connections: number) =>
  figures.find((row) => row.operation === operation && row.connections === connections);

function backgroundWork(figures: readonly ThroughputRow[]): string[] {
  const { backgroundMs } = rowOf(figures, ownTopics, 16) ?? {};
  if (backgroundMs === undefined) return [];
  return [
    "Before each measurement the log's subscribers finish the work that earlier requests caused, above all indexing for searches.",
    `For a sent message they need ${backgroundMs.toFixed(1)} ms more.`,
  ];
}

/** How much more 16 writers send than one, in one topic and in a topic each. */
function writersCompared(figures: readonly ThroughputRow[]): string[] {
  const [inOneTopic, inOwnTopics] = [oneTopic, ownTopics].map((operation) => {
    const [one, many] = [1, 16].map((connections) => rowOf(figures, operation, connections)?.result.requestsPerSecond);
    return one && many ? many / one : undefined;
  });
  if (inOneTopic === undefined || inOwnTopics === undefined) return [];
  return [
    "",
    `16 writers in one topic send ${inOneTopic.toFixed(2)} times as many messages a second as one writer (target: 1.5), and with a topic each`,
    `${inOwnTopics.toFixed(2)} times as many.`,
  ];
}

async function measured({ url, pid }: BenchHost): Promise<ThroughputRow[]> {
  const users = await createUsers(Math.max(...connectionCounts));
  const channel = await createChannel("bench", users);
  const { last } = await aHistory(2000, { channel, senderId: (index) => users[index % 16]?.id ?? 0 });
  const queues = await Promise.all(users.map((person) => queueOf(url, person)));
  const requestsByOperation = requestsOf(channel.id, last, queues);
  const results: ThroughputRow[] = [];
  for (const [operation, { request, cycle, leavesBackgroundWork }] of Object.entries(requestsByOperation)) {
    const finishWork = async () => (leavesBackgroundWork ? finishBackgroundWork() : 0);
    for (const connections of connectionCounts) {
      const client = new Client(url, connections);
      const send = async (n: number, run: number) => {
        const { status, bytes } = await client.call(users[n] as Actor, ...request(n, run));
        if (status !== 200) throw new Error(`${operation}: ${bytes}`);
      };
      await load(connections, warmUpSeconds, send, { cycle });
      await finishWork();
      const runs: LoadRun[] = [];
      let [hostMs, backgroundMs] = [0, 0];
      for (let turn = 0; turn < turnCount; turn++) {
        const before = cpuMs(pid);
        runs.push(await load(connections, turnSeconds, send, { cycle }));
        hostMs += cpuMs(pid) - before;
        backgroundMs += await finishWork();
      }
      client.close();
      const result = summarize(runs);
      const { requests } = result;
      results.push({
        ...{ operation, connections, result, cpuMs: hostMs / requests },
        ...(leavesBackgroundWork && { backgroundMs: backgroundMs / requests }),
      });
      console.log(
        `  ${operation}, ${connections} connections: ${(hostMs / requests).toFixed(2)} ms of the host's CPU a request`,
      );
    }
  }
  return results;
}

async function queueOf(url: string, person: Actor): Promise<string> {
  const client = new Client(url, 1);
  const { bytes } = await client.call(person, "POST", "/register", { event_types: ["muted_users"] });
  client.close();
  return JSON.parse(String(bytes)).queue_id;
}

const message = (to: number, topic: string): ReturnType<LoadRequest["request"]> => [
  "POST",
  "/messages",
  { type: "channel", to, topic, content: ordinaryText },
];

function requestsOf(channelId: number, newest: number, queues: readonly string[]): Record<string, LoadRequest> {
  return {
    // Polls read the log, so they come before the requests that write thousands of entries to it.
    poll: {
      cycle: 1,
      request: (n) => ["GET", "/events", { queue_id: queues[n], last_event_id: -1, dont_block: true }],
    },
    register: { cycle: 1, request: () => ["POST", "/register", {}] },
    "fetch 100": {
      cycle: 1,
      request: () => [
        "GET",
        "/messages",
        {
          anchor: "newest",
          num_before: 100,
          num_after: 0,
          narrow: [
            { operator: "channel", operand: channelId },
            { operator: "topic", operand: "breach" },
          ],
        },
      ],
    },
    [ownTopics]: { cycle: 1, leavesBackgroundWork: true, request: (n) => message(channelId, `topic ${n}`) },
    [oneTopic]: { cycle: 1, leavesBackgroundWork: true, request: () => message(channelId, "shared topic") },
    react: {
      cycle: 2,
      request: (n, run) => [
        run % 2 === 0 ? "POST" : "DELETE",
        `/messages/${newest - n}/reactions`,
        { emoji_name: "tada" },
      ],
    },
  };
}
