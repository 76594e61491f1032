import { indexTerms } from "../shared/messaging/messages/search/index-terms.ts";
import { cursors } from "../shared/store/log/cursors.ts";
import { addSegment, deleteRetired, putManifest, readManifest } from "../shared/store/messages/search-index.ts";
import { updateItem } from "../shared/store/table/single-writes.ts";
import { transact } from "../shared/store/table/transactions.ts";
import { seedTable } from "../test/support/table/seed-table.ts";
import { historyItems, takeMessageIds } from "../test/support/table/seeding.ts";
import { advanceClock } from "./host/bench-clock.ts";
import { createChannel, createUsers, startBenchHost } from "./host/bench-host.ts";
import { invoke } from "./host/invoke.ts";
import { type Section, table } from "./section.ts";
import { variedText } from "./texts.ts";

const sizes = [1_000, 10_000, 100_000] as const;
/** As many as the log consumer indexes at once when it catches up. */
const perSegment = 128;
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
  "a word that no message has": { operand: "unheard" },
};

interface SearchCount {
  found: number;
  readUnits: number;
  tableCalls: number;
  stages: number;
}

interface SearchFigures {
  messages: number;
  segments: number;
  counted: Record<string, SearchCount>;
}

/** What a search for 100 messages costs. */
export const searchCosts: Section<SearchFigures[]> = {
  name: "search",
  document: "docs/cost.md",
  title: "What a search costs",
  measure: async () => {
    const host = await startBenchHost();
    try {
      const [reader, writer] = await createUsers(2);
      if (!reader || !writer) throw new Error("No users were created");
      const channel = await createChannel("breach", [reader, writer]);
      const figures: SearchFigures[] = [];
      let existing = 0;
      for (const messages of sizes) {
        const count = messages - existing;
        const first = await takeMessageIds(count);
        const text = (index: number) => textOf(existing + index);
        const seed = { channel, senderId: () => writer.id, topic: (index: number) => `breach ${index % 10}`, text };
        for (const items of historyItems(first, count, seed)) await seedTable(host, items);
        await index(first, count, channel.id, seed);
        existing = messages;
        const counted: Record<string, SearchCount> = {};
        for (const [name, { operand, isInChannel }] of Object.entries(searches)) {
          advanceClock(quietSeconds);
          const search = { operator: "search", operand };
          const narrow = isInChannel ? [{ operator: "channel", operand: channel.id }, search] : [search];
          const params = { anchor: "newest", num_before: 100, num_after: 0, narrow };
          const { status, body, record } = await invoke(reader, { method: "GET", path: "/messages", params });
          if (status !== 200) throw new Error(body.msg);
          const { readUnits, tableCalls, stages } = record;
          counted[name] = { found: body.messages.length, readUnits, tableCalls, stages };
        }
        figures.push({ messages, segments: (await readManifest()).segments.length, counted });
        console.log(`  ${messages} messages counted`);
      }
      return figures;
    } finally {
      await host.stop();
    }
  },
  text: (figures) =>
    [
      "Up to 100 messages, for 0.5 read units each, and look-ups in [the index](data-model.md#searches). Read units (calls, stages), messages found:",
      "",
      table(
        ["search for", ...figures.map(({ messages }) => `${messages.toLocaleString("en-US")} messages`)],
        [
          ...Object.keys(searches).map((name) => [
            name,
            ...figures.map(({ counted }) => {
              const { found, readUnits, tableCalls, stages } = counted[name] as SearchCount;
              return `${readUnits} (${tableCalls}, ${stages}), ${found}`;
            }),
          ]),
          ["segments", ...figures.map(({ segments }) => segments)],
        ],
      ),
    ].join("\n"),
};

/** Words about as frequent as in a language: the rank is drawn from a log-uniform distribution. */
function textOf(index: number): string {
  let state = (index * 2_654_435_761 + 7) >>> 0;
  const drawn = Array.from({ length: 10 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `w${Math.floor(vocabularySize ** (state / 2 ** 32)).toString(36)}`;
  });
  return [variedText(index).slice(0, 240), ...drawn, ...(index % rarity === 0 ? ["albatross"] : [])].join(" ");
}

/** Indexes the messages as the log consumer would, and moves its cursor: the seeded messages are not in the log. */
async function index(
  first: number,
  count: number,
  channelId: number,
  { topic, text }: { topic: (index: number) => string; text: (index: number) => string },
): Promise<void> {
  let manifest = await readManifest();
  for (let start = 0; start < count; start += perSegment) {
    const messages = Array.from({ length: Math.min(perSegment, count - start) }, (_, offset) => ({
      posting: { id: first + start + offset, channelId },
      words: indexTerms({ html: `<p>${text(start + offset)}</p>`, topic: topic(start + offset) }),
    }));
    manifest = await addSegment(await deleteRetired(manifest), messages);
  }
  await transact([putManifest({ ...manifest, indexedTo: first + count - 1 })]);
  await updateItem(cursors.search, { set: { message: first + count - 1 } });
}
