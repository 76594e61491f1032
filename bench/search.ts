import { availableParallelism, loadavg } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { withTrace } from "../shared/base/observability/trace.ts";
import { indexTerms } from "../shared/messaging/messages/search/index-terms.ts";
import { indexLookUps } from "../shared/messaging/messages/search/look-ups.ts";
import { parseSearch } from "../shared/messaging/messages/search/query.ts";
import type { Channel } from "../shared/store/channels/channels.ts";
import { cursors } from "../shared/store/log/cursors.ts";
import {
  addSegment,
  deleteRetired,
  lookUp,
  type Manifest,
  putManifest,
  readManifest,
} from "../shared/store/messages/search-index.ts";
import { updateItem } from "../shared/store/table/single-writes.ts";
import { transact } from "../shared/store/table/transactions.ts";
import { seedTable } from "../test/support/table/seed-table.ts";
import { historyItems, takeMessageIds } from "../test/support/table/seeding.ts";
import { advanceClock } from "./host/bench-clock.ts";
import { type Actor, type BenchHost, cpuMs, createChannel, createUsers, onBenchHost } from "./host/bench-host.ts";
import { Client } from "./host/client.ts";
import { invoke } from "./host/invoke.ts";
import { percentiles } from "./host/load.ts";
import { type Section, table } from "./section.ts";
import { variedText } from "./texts.ts";
import { busyNote, type Machine } from "./web.ts";

const sizes = [1_000, 10_000, 100_000] as const;
/** As many as the log consumer indexes at once while messages are sent one by one. */
const perSegment = 32;
const vocabularySize = 20_000;
/** One message in so many has the rare word. */
const rarity = 500;
const quietSeconds = 40;

/** What is searched for. */
const searches: Record<string, { operand: string; isInChannel?: boolean }> = {
  "a word that every message has": { operand: "breach" },
  [`a word that one message in ${rarity} has`]: { operand: "albatross" },
  "both words": { operand: "breach albatross" },
  "the frequent word in a channel": { operand: "breach", isInChannel: true },
  "the beginning of a rare word": { operand: "albatr" },
  "a word that no message has": { operand: "unheard" },
};

interface SearchCount {
  found: number;
  readUnits: number;
  tableCalls: number;
  stages: number;
}

interface SizeFigures {
  messages: number;
  segments: number;
  /** Of the index, for all messages so far, with its merges. */
  indexWriteUnits: number;
  /** Of the look-up of one word. */
  indexReadUnits: number;
  counted: Record<string, SearchCount>;
}

/** Milliseconds. */
interface SearchTime {
  found: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the host, for one request. */
  cpuMs: number;
  /** Of the same search with `LIKE`, by itself. */
  likeMs: number;
}

interface SearchFigures extends Machine {
  sizes: SizeFigures[];
  /** Among the most messages. */
  times: Record<string, SearchTime>;
}

const everyMessage = { from: 1, to: Number.MAX_SAFE_INTEGER };

const timedRequests = 60;
const warmUpRequests = 10;

/** What a search for 100 messages costs. */
export const searchCosts: Section<SearchFigures> = {
  name: "search",
  document: "docs/cost.md",
  title: "What a search costs",
  measure: () => onBenchHost(measured),
  text: ({ sizes: figures }) =>
    [
      "A search reads up to 100 messages, at 0.5 read units each, and looks words up in [the index](data-model.md#searches). Each cell has the read",
      "units (calls, stages) and the number of messages found:",
      "",
      table(
        ["search for", ...figures.map(({ messages }) => `${inThousands(messages)} messages`)],
        [
          ...Object.keys(searches).map((name) => [
            name,
            ...figures.map(({ counted }) => {
              const { found, readUnits, tableCalls, stages } = counted[name] as SearchCount;
              return `${readUnits} (${tableCalls}, ${stages}), ${found}`;
            }),
          ]),
          ["segments", ...figures.map(({ segments }) => segments)],
          ["read units of the index to look up one word", ...figures.map(({ indexReadUnits }) => indexReadUnits)],
          [
            "write units of the index for a message",
            ...figures.map(({ messages, indexWriteUnits }) => (indexWriteUnits / messages).toFixed(2)),
          ],
        ],
      ),
      "",
      `The messages have 300 characters each, and were indexed ${perSegment} at a time.`,
    ].join("\n"),
};

/** How long a search takes, beside the scan of a table that `LIKE` is. */
export const searchTimes: Section<undefined> = {
  name: "search-times",
  document: "docs/speed.md",
  title: "Searching",
  text: (_, { search }) => {
    const { sizes: figures, times, ...machine } = search as SearchFigures;
    return [
      `Requests for up to 100 of ${inThousands(figures.at(-1)?.messages ?? 0)} messages, one after another, timed to the end of the reply (target: a median of 60 ms).`,
      "For comparison, the table has the same search by `LIKE`, in an SQLite table in memory and without a request: it finds characters, not words,",
      "and reads more messages the rarer the matches are.",
      ...busyNote(machine, "times are longer than on an idle machine"),
      "",
      table(
        ["search for", "found", "p50 ms", "p99 ms", "host's CPU ms", "`LIKE` p50 ms"],
        Object.entries(times).map(([name, { found, p50Ms, p99Ms, cpuMs: hostMs, likeMs }]) => [
          ...[name, found, ...[p50Ms, p99Ms, hostMs].map(Math.round)],
          likeMs < 1 ? likeMs.toFixed(1) : Math.round(likeMs),
        ]),
      ),
    ].join("\n");
  },
};

const inThousands = (count: number) => count.toLocaleString("en-US");

async function measured(host: BenchHost): Promise<SearchFigures> {
  const [load = 0] = loadavg();
  const [reader, writer] = await createUsers(2);
  if (!reader || !writer) throw new Error("No users were created");
  const channel = await createChannel("breach", [reader, writer]);
  const figures: SizeFigures[] = [];
  let existing = 0;
  let indexWriteUnits = 0;
  for (const messages of sizes) {
    const count = messages - existing;
    const first = await takeMessageIds(count);
    const text = (index: number) => textOf(existing + index);
    const seed = { channel, senderId: () => writer.id, topic: (index: number) => `breach ${index % 10}`, text };
    for (const items of historyItems(first, count, seed)) await seedTable(host, items);
    const { trace } = await withTrace(() => index(first, count, channel.id, seed));
    indexWriteUnits += trace.writeUnits;
    existing = messages;
    const counted: Record<string, SearchCount> = {};
    for (const name of Object.keys(searches)) {
      advanceClock(quietSeconds);
      const params = paramsOf(name, channel);
      const { status, body, record } = await invoke(reader, { method: "GET", path: "/messages", params });
      if (status !== 200) throw new Error(body.msg);
      const { readUnits, tableCalls, stages } = record;
      counted[name] = { found: body.messages.length, readUnits, tableCalls, stages };
    }
    const { segments } = await readManifest();
    figures.push({
      messages,
      segments: segments.length,
      indexWriteUnits,
      indexReadUnits: await countLookUp(),
      counted,
    });
    console.log(`  ${messages} messages counted`);
  }
  return {
    load,
    processors: availableParallelism(),
    sizes: figures,
    times: await timed(host, reader, channel, existing),
  };
}

/** The read units of the index's part in a search for one word that some messages have. */
async function countLookUp(): Promise<number> {
  const { trace } = await withTrace(async () => {
    const [ranges = []] = indexLookUps(parseSearch("albatross", { language: "en", completes: true }));
    await lookUp(await readManifest(), ranges, { ...everyMessage, descending: true, limit: 100 });
  });
  return trace.readUnits;
}

function paramsOf(name: string, channel: Channel) {
  const { operand, isInChannel } = searches[name] as { operand: string; isInChannel?: boolean };
  const search = { operator: "search", operand };
  const narrow = isInChannel ? [{ operator: "channel", operand: channel.id }, search] : [search];
  return { anchor: "newest", num_before: 100, num_after: 0, narrow };
}

/** Searches and the statements with `LIKE` take turns, so that both meet the same load. */
async function timed(
  host: BenchHost,
  reader: Actor,
  channel: Channel,
  messages: number,
): Promise<SearchFigures["times"]> {
  const client = new Client(host.url, 1);
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE messages (id INTEGER PRIMARY KEY, channel INTEGER, content TEXT)");
  const insert = database.prepare("INSERT INTO messages (channel, content) VALUES (?, ?)");
  database.exec("BEGIN");
  for (let index = 0; index < messages; index++) insert.run(channel.id, textOf(index));
  database.exec("COMMIT");
  const times: SearchFigures["times"] = {};
  for (const [name, { operand, isInChannel }] of Object.entries(searches)) {
    const words = operand.split(" ");
    const conditions = [...words.map(() => "content LIKE ?"), ...(isInChannel ? ["channel = ?"] : [])];
    const like = database.prepare(
      `SELECT id, content FROM messages WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT 100`,
    );
    const values = [...words.map((word) => `%${word}%`), ...(isInChannel ? [channel.id] : [])];
    const [requestsMs, likeMs]: [number[], number[]] = [[], []];
    let [found, cpuBefore] = [0, 0];
    for (let request = 0; request < warmUpRequests + timedRequests; request++) {
      if (request === warmUpRequests) cpuBefore = cpuMs(host.pid);
      const likeAt = performance.now();
      like.all(...values);
      const requestAt = performance.now();
      const { status, bytes } = await client.call(reader, "GET", "/messages", paramsOf(name, channel));
      const endAt = performance.now();
      if (status !== 200) throw new Error(bytes.toString());
      found = JSON.parse(bytes.toString()).messages.length;
      if (request < warmUpRequests) continue;
      likeMs.push(requestAt - likeAt);
      requestsMs.push(endAt - requestAt);
    }
    const hostMs = (cpuMs(host.pid) - cpuBefore) / timedRequests;
    times[name] = { found, ...percentiles(requestsMs), cpuMs: hostMs, likeMs: percentiles(likeMs).p50Ms };
    console.log(`  ${name}: ${Math.round(times[name].p50Ms)} ms`);
  }
  client.close();
  database.close();
  return times;
}

/** Words about as frequent as in a language: the rank is drawn from a log-uniform distribution. */
function textOf(index: number): string {
  let state = (index * 2_654_435_761 + 7) >>> 0;
  const drawn = Array.from({ length: 10 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const rank = Math.floor(vocabularySize ** (state / 2 ** 32));
    // Of letters only: a word with digits would be cut into several.
    return rank.toString(26).replaceAll(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
  });
  return [variedText(index).slice(0, 240), ...drawn, ...(index % rarity === 0 ? ["albatross"] : [])].join(" ");
}

/**
 * Indexes the messages as the log consumer would, and moves its cursor: the seeded messages are not in the log. Deletes what was
 * merged as soon as it may be.
 */
async function index(
  first: number,
  count: number,
  channelId: number,
  { topic, text }: { topic: (index: number) => string; text: (index: number) => string },
): Promise<void> {
  const withoutRetired = ({ retired, ...manifest }: Manifest) =>
    deleteRetired({ ...manifest, retired: retired.map(({ id }) => ({ id, at: 0 })) });
  let manifest = await readManifest();
  for (let start = 0; start < count; start += perSegment) {
    const messages = Array.from({ length: Math.min(perSegment, count - start) }, (_, offset) => ({
      posting: { id: first + start + offset, channelId },
      words: indexTerms({ html: `<p>${text(start + offset)}</p>`, topic: topic(start + offset) }),
    }));
    manifest = await addSegment(await withoutRetired(manifest), messages);
  }
  await transact([putManifest({ ...manifest, indexedTo: first + count - 1 })]);
  await updateItem(cursors.search, { set: { message: first + count - 1 } });
}
