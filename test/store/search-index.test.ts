import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { searchSources } from "../../shared/messaging/messages/fetch/search-sources.ts";
import type { Reader } from "../../shared/messaging/messages/reader.ts";
import { indexTerms } from "../../shared/messaging/messages/search/index-terms.ts";
import { indexMore, isIndexBehind, searchIndex } from "../../shared/messaging/messages/search/indexing.ts";
import { indexLookUps } from "../../shared/messaging/messages/search/look-ups.ts";
import { parseSearch } from "../../shared/messaging/messages/search/query.ts";
import { consumeLog } from "../../shared/services/jobs/log-consumer.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { cursors, findCursor, putCursor } from "../../shared/store/log/cursors.ts";
import type { LogEntry } from "../../shared/store/log/entry.ts";
import { commit, readHead } from "../../shared/store/log/log.ts";
import {
  addSegment,
  deleteRetired,
  estimateShare,
  type IndexedMessage,
  lookUp,
  type Manifest,
  putManifest,
  readManifest,
} from "../../shared/store/messages/search-index.ts";
import {
  beginningWith,
  everyMessage,
  exactly,
  type Posting,
  readSegment,
  type WordRange,
} from "../../shared/store/messages/search-segments.ts";
import { queryItems } from "../../shared/store/table/reads.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { withFailure } from "../support/faults.ts";
import { forAtMost } from "../support/property.ts";
import { fc, randomFrom } from "../support/random.ts";
import { aHistory, type Seed } from "../support/table/seeding.ts";
import { leaveSeparateTables, useSeparateTable } from "../support/table/separate-table.ts";
import { isLocal } from "../support/world.ts";

/** The segments of the search index against a simple truth. They have IDs of their own, which the host's index does not use. */

let nextId = 1_000_000_000;
const emptyIndex = (): Manifest => {
  nextId += 100_000;
  return { indexedTo: 0, segments: [], changed: [], retired: [], nextId };
};

const words = ["love", "loved", "love_", "ähre", "愛", "𝔩ove", "rare"];
const isIn = ({ beginning, isExact, accepts }: WordRange, word: string) =>
  isExact ? word === beginning : word.startsWith(beginning) && accepts(word);
/** Each word, words that begin alike, some of them, and several ranges. */
const searchedFor: WordRange[][] = [
  ...words.map((word) => [exactly(word)]),
  [beginningWith("love")],
  [beginningWith("l"), beginningWith("愛")],
  [{ beginning: "lo", isExact: false, accepts: (word) => word !== "loved" }, exactly("rare")],
];
type Truth = Map<number, { words: string[]; posting: Posting }>;
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: Number.POSITIVE_INFINITY };

const wordsArbitrary = fc.subarray(words);
const placeArbitrary = fc.oneof(
  fc.record({ channelId: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ userIds: fc.constantFrom([1, 2], [1, 2, 3]) }),
);
const stepArbitrary = fc.record({
  added: fc.array(fc.record({ words: wordsArbitrary, place: placeArbitrary }), { minLength: 1, maxLength: 70 }),
  changed: fc.array(
    fc.record({ at: fc.nat(), words: wordsArbitrary, place: placeArbitrary, isDeleted: fc.boolean() }),
    {
      maxLength: 5,
    },
  ),
});

type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** Applies a step to the truth; returns what is to be indexed. */
function apply(truth: Truth, { added, changed }: Step): IndexedMessage[] {
  const concerned = new Set<number>();
  for (const { at, words: current, place, isDeleted } of changed) {
    const id = [...truth.keys()][at % Math.max(1, truth.size)];
    if (id === undefined) continue;
    concerned.add(id);
    truth.set(id, isDeleted ? { words: [], posting: { id } } : { words: current, posting: { id, ...place } });
  }
  for (const { words: current, place } of added) {
    const id = truth.size + 1;
    concerned.add(id);
    truth.set(id, { words: current, posting: { id, ...place } });
  }
  return [...concerned].sort((a, b) => a - b).map((id): IndexedMessage => truth.get(id) as IndexedMessage);
}

describe.skipIf(!isLocal())("the segments (in this process)", () => {
  test("any messages and changes are found under their words, wherever they are now", {
    timeout: 120_000,
  }, async () => {
    const steps = fc.array(stepArbitrary, { minLength: 1, maxLength: 24 });
    const body = forAtMost(20_000, async (given: Step[], a: number, b: number, limit: number) => {
      const truth: Truth = new Map();
      let manifest = emptyIndex();
      for (const step of given) manifest = await addSegment(manifest, apply(truth, step));
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      for (const ranges of searchedFor)
        for (const descending of [true, false]) {
          const hasAny = (message: IndexedMessage | undefined) =>
            message?.words.some((word) => ranges.some((range) => isIn(range, word))) === true;
          const found = await lookUp(manifest, ranges, { ...everything, descending });
          const valid = found.filter(({ id }) => hasAny(truth.get(id)));
          const expected = [...truth.values()].filter(hasAny);
          expect(valid).toEqual((descending ? expected.toReversed() : expected).map(({ posting }) => posting));
          const page = await lookUp(manifest, ranges, { from, to, descending, limit });
          expect(page).toEqual(found.filter(({ id }) => from <= id && id <= to).slice(0, limit));
        }
    });
    const position = fc.nat({ max: 1500 });
    await fc.assert(fc.asyncProperty(steps, position, position, fc.integer({ min: 1, max: 50 }), body), {
      numRuns: 60,
      endOnFailure: true,
    });
  });

  test("a frequent word is read in pages of any size, in both directions", async () => {
    const messages = Array.from(
      { length: 5000 },
      (_, index): IndexedMessage => ({
        posting: { id: index + 1, channelId: index % 40 },
        words: index % 2 === 0 ? ["often", "zeal"] : ["apt"],
      }),
    );
    const manifest = await addSegment(emptyIndex(), messages);
    const allIds = messages.map(({ posting }) => posting.id);
    const ids = messages.flatMap(({ posting, words: [word] }) => (word === "often" ? [posting.id] : []));
    for (const descending of [true, false]) {
      const inOrder = descending ? ids.toReversed() : ids;
      for (const limit of [1, 100, 2499, 4000]) {
        const found = await lookUp(manifest, [exactly("often")], { ...everything, descending, limit });
        expect(found.map(({ id }) => id)).toEqual(inOrder.slice(0, limit));
      }
      const range = { from: 777, to: 4221, descending, limit: 10_000 };
      const found = await lookUp(manifest, [exactly("often")], range);
      expect(found.map(({ id }) => id)).toEqual(inOrder.filter((id) => 777 <= id && id <= 4221));
    }
    expect(await lookUp(manifest, [exactly("ofte")], everything)).toEqual([]);
    for (const descending of [true, false]) {
      const page = { ...everything, descending, limit: 100 };
      const { trace } = await withTrace(async () => {
        const all = await lookUp(manifest, [beginningWith("")], page);
        expect(all.map(({ id }) => id)).toEqual((descending ? allIds.toReversed() : allIds).slice(0, 100));
        const some = await lookUp(manifest, [{ ...beginningWith(""), accepts: (word) => word === "zeal" }], page);
        expect(some).toEqual(await lookUp(manifest, [exactly("zeal")], page));
      });
      // What the segment has of other words is not read.
      expect(trace.readUnits).toBeLessThan((manifest.segments[0]?.chunks ?? 0) * 2);
    }
    expect(await lookUp(manifest, [exactly("zebra")], everything)).toEqual([]);
  });

  test("a merge drops what a newer segment corrects, and the merged segments are deleted later", async () => {
    let manifest = emptyIndex();
    const stored = async (ids: readonly number[]) =>
      (await Promise.all(ids.map((id) => queryItems({ pk: `SEGMENT#${id}` })))).flat().length;
    const add = async (id: number, ...indexed: string[]) => {
      manifest = await addSegment(manifest, [{ posting: { id, channelId: 7 }, words: indexed }]);
    };
    await add(1, "secret", "love");
    await add(2, "secret");
    await add(1, "love");
    await add(3, "rare");
    expect(manifest.segments).toHaveLength(1);
    expect((await lookUp(manifest, [exactly("secret")], everything)).map(({ id }) => id)).toEqual([2]);
    expect((await lookUp(manifest, [exactly("love")], everything)).map(({ id }) => id)).toEqual([1]);

    const merged = manifest.retired.map(({ id }) => id);
    expect(await stored(merged)).toBeGreaterThan(0);
    expect(merged).toHaveLength(4);
    expect(await deleteRetired(manifest)).toEqual(manifest);
    const hourAgo = Date.now() - 3_600_000;
    const later = await deleteRetired({ ...manifest, retired: merged.map((id) => ({ id, at: hourAgo })) });
    expect(later.retired).toEqual([]);
    expect(await stored(merged)).toBe(0);
    const [segment] = manifest.segments;
    expect(segment && (await Array.fromAsync(readSegment(segment)))[0]?.[0]).toBe(everyMessage);
  });

  test("a worker that goes on after its lease has expired leaves the segment of its successor as it is", async () => {
    const before = emptyIndex();
    const addWith = (...indexed: string[]) =>
      addSegment(before, [{ posting: { id: 1, channelId: 7 }, words: indexed }]);
    const late = await addWith("love", "late");
    const successor = await addWith("love");
    await addWith("late", "zeal");
    expect(late.segments[0]?.id).toBe(successor.segments[0]?.id);
    expect(await lookUp(successor, [exactly("love")], everything)).toEqual([{ id: 1, channelId: 7 }]);
    expect(await lookUp(successor, [exactly("late")], everything)).toEqual([]);
    expect(await lookUp(late, [exactly("late")], everything)).toEqual([{ id: 1, channelId: 7 }]);
  });

  test("segments are not merged beyond what a function can do, however many words their messages have", async () => {
    const manifest = emptyIndex();
    const aSegment = (index: number, chunks: number) => ({
      ...{ id: manifest.nextId + index, attempt: "none", from: 1, to: 1, messages: 32, chunks },
    });
    const large = { ...manifest, nextId: manifest.nextId + 10, segments: [1, 2, 3].map((i) => aSegment(i, 1001)) };
    const added = await addSegment(large, [{ posting: { id: 1 }, words: ["love"] }]);
    expect(added.segments).toHaveLength(4);
    const small = { ...large, segments: [1, 2, 3].map((i) => aSegment(i, 1000)) };
    expect((await addSegment(small, [{ posting: { id: 1 }, words: ["love"] }])).segments).toHaveLength(1);
  });

  test("segments of many messages are merged, too, when an index is built of messages that exist", async () => {
    let manifest = emptyIndex();
    let most = 0;
    for (let first = 1; first <= 64 * 128; first += 128) {
      const ids = Array.from({ length: 128 }, (_, index) => first + index);
      manifest = await addSegment(
        manifest,
        ids.map((id) => ({ posting: { id, channelId: 1 }, words: ["love"] })),
      );
      most = Math.max(most, manifest.segments.length);
    }

    // At most three of each level, which are four times as large as those of the level below.
    expect(most).toBeLessThanOrEqual(10);
    expect(await lookUp(manifest, [exactly("love")], { ...everything, limit: 64 * 128 })).toHaveLength(64 * 128);
  });

  test("many changes at once are left to several steps, and one entry is always processed", async () => {
    const deletions = (count: number, each: number) =>
      Array.from({ length: count }, (_, index): LogEntry => {
        const message_ids = Array.from({ length: each }, (_, at) => Number.MAX_SAFE_INTEGER - at);
        return { sequence: index + 1, event: { type: "delete_message", message_ids, message_type: "private" } };
      });
    expect(await searchIndex.step(deletions(200, 80), { sequence: 0 })).toMatchObject({ upTo: 25 });
    expect(await searchIndex.step(deletions(2, 3000), { sequence: 0 })).toMatchObject({ upTo: 1 });
    expect((await searchIndex.step(deletions(1, 3000), { sequence: 0 }))?.upTo).toBeUndefined();
    expect((await searchIndex.step(deletions(200, 1), { sequence: 0 }))?.upTo).toBeUndefined();
  });

  test("a long word is indexed by a prefix of whole characters", () => {
    const start = "a".repeat(63);
    expect(indexTerms({ html: `<p>${start}𐐨ove ${start}be</p>` })).toEqual([start, `${start}b`]);
    const [[range] = []] = indexLookUps(parseSearch(`${start}𐐨ove`, { language: "fr", completes: false }));
    expect(range).toMatchObject({ beginning: start, isExact: true });
  });

  test("twenty thousand messages cost about half a write unit each, and a search few read units", {
    timeout: 180_000,
  }, async () => {
    const vocabulary = Array.from({ length: 20_000 }, (_, index) => `w${index.toString(36)}`);
    const random = randomFrom(7);
    // Words are about as frequent as in a language: the rank is drawn from a log-uniform distribution.
    const draw = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] as string;
    let manifest = emptyIndex();
    const { trace } = await withTrace(async () => {
      for (let first = 1; first <= 20_000; first += 32) {
        const messages = Array.from(
          { length: 32 },
          (_, index): IndexedMessage => ({
            posting: { id: first + index, channelId: Math.floor(random() * 50) },
            words: [...new Set(Array.from({ length: 14 }, draw))],
          }),
        );
        manifest = await deleteRetired(await addSegment(manifest, messages));
      }
      manifest = await deleteRetired({ ...manifest, retired: manifest.retired.map(({ id }) => ({ id, at: 0 })) });
    });
    expect(trace.writeUnits / 20_000).toBeLessThan(0.6);
    for (const word of ["w0", "w5", "wzz", "w1x9"]) {
      const lookups = await withTrace(() => lookUp(manifest, [exactly(word)], { ...everything, limit: 100 }));
      expect(await estimateShare(manifest, [exactly(word)])).toBeGreaterThan(0);
      expect(lookups.trace.readUnits).toBeLessThanOrEqual(manifest.segments.length + 4);
    }
  });
});

describe.skipIf(!isLocal())("a data folder of a version with another index (in a table of its own)", () => {
  beforeAll(useSeparateTable);
  afterAll(leaveSeparateTables);

  test("its messages are indexed anew after the next change, whatever that is", async () => {
    const channel = { id: 1, recipientId: 1 } as Channel;
    const seed: Seed = { channel, senderId: () => 1, text: (index) => `Ripeness ${index}` };
    const { last } = await aHistory(40, seed);
    const { event } = await readHead();
    await transact([putCursor(cursors.search, { sequence: event, message: last })]);
    await commit({});

    await consumeLog(searchIndex);

    const manifest = await readManifest();
    expect(manifest.indexedTo).toBe(last);
    expect(await lookUp(manifest, [exactly("ripeness")], everything)).toHaveLength(40);
    expect((await lookUp(manifest, [exactly("39")], everything)).map(({ id }) => id)).toEqual([last]);
  });

  test("a segment of another form makes it be built anew, and what it consisted of is deleted later", async () => {
    const before = await readManifest();
    const { event } = await readHead();
    // As a worker of a former version writes them during an upgrade.
    const segments = before.segments.map(({ form: _, ...segment }) => segment);
    await transact([putManifest({ ...before, segments })]);
    const outdated = await readManifest();
    expect(outdated).toMatchObject({ indexedTo: 0, segments: [], nextId: before.nextId });
    expect(outdated.retired.map(({ id }) => id)).toEqual(expect.arrayContaining(segments.map(({ id }) => id)));
    await transact([putCursor(cursors.search, { sequence: event, message: before.indexedTo })]);
    await commit({});

    await consumeLog(searchIndex);

    const manifest = await readManifest();
    expect(manifest.indexedTo).toBe(before.indexedTo);
    expect(manifest.retired).toHaveLength(outdated.retired.length);
    expect(await lookUp(manifest, [exactly("ripeness")], everything)).toHaveLength(40);
  });

  test("it is built on while nothing moves the log, also after a run that died at any call", async () => {
    const channel = { id: 1, recipientId: 1 } as Channel;
    const { last } = await aHistory(2100, { channel, senderId: () => 1, text: (index) => `Cordelia ${index}` });
    const { event } = await readHead();
    const before = await readManifest();
    const outdate = async () => {
      const { nextId } = await readManifest();
      const segments = before.segments.map(({ form: _, ...segment }) => segment);
      await transact([
        putManifest({ ...before, nextId, segments }),
        putCursor(cursors.search, { sequence: event, message: last }),
      ]);
    };
    const expectBuilt = async () => {
      while (await isIndexBehind()) await indexMore();
      const manifest = await readManifest();
      expect(manifest.indexedTo).toBe(last);
      expect(await findCursor(cursors.search)).toMatchObject({ sequence: event, message: last });
      expect(await lookUp(manifest, [exactly("cordelia")], { ...everything, limit: 3000 })).toHaveLength(2100);
      expect(await lookUp(manifest, [exactly("ripeness")], everything)).toHaveLength(40);
    };

    await outdate();
    expect(await isIndexBehind()).toBe(true);
    // More than one step.
    expect(await indexMore()).toBe(true);
    await expectBuilt();
    expect(await indexMore()).toBe(false);

    for (const [step, when] of [
      [2, "before"],
      [8, "afterwards"],
      [40, "before"],
    ] as const) {
      await outdate();
      await withFailure(step, when, indexMore);
      await transact([putCursor(cursors.search, { sequence: event, message: last })]);
      await expectBuilt();
    }
  });
});

describe.skipIf(!isLocal())("a search of several words (in a table of its own)", () => {
  const perSegment = 6000;
  const isRare = (id: number) => id % 120 === 0;
  const isSeldom = (id: number) => id % 48 === 0;

  beforeAll(async () => {
    useSeparateTable();
    let manifest = emptyIndex();
    for (const start of [0, perSegment, 2 * perSegment]) {
      const messages = Array.from({ length: perSegment }, (_, index): IndexedMessage => {
        const id = start + index + 1;
        const has = { often: id % 10 > 0 || isRare(id), rare: isRare(id), seldom: isSeldom(id) };
        const found = Object.entries(has).flatMap(([word, isIn]) => (isIn ? [word] : []));
        return { posting: { id, userIds: [1] }, words: found };
      });
      manifest = await addSegment(manifest, messages);
    }
    await transact([putManifest({ ...manifest, indexedTo: 3 * perSegment })]);
  });
  afterAll(leaveSeparateTables);

  const candidates = (query: string) =>
    withTrace(async () => {
      const reader = { caller: { id: 1 }, subscriptions: async () => [] } as object as Reader;
      const options = { language: "fr", completes: false };
      const sources = await searchSources(reader, [], parseSearch(query, options), false, async () => []);
      const [indexed] = sources ?? [];
      return (await indexed?.({ ...everything, limit: 100 }))?.map(({ id }) => id);
    });

  const newest = (isFound: (id: number) => boolean) =>
    Array.from({ length: 3 * perSegment }, (_, index) => 3 * perSegment - index)
      .filter(isFound)
      .slice(0, 100);

  test("a frequent word beside a rare one is not looked up among all messages", async () => {
    const alone = await candidates("rare");
    expect(alone.result).toEqual(newest(isRare));
    const both = await candidates("often rare");
    expect(both.result).toEqual(newest(isRare));
    // The shares of both words are estimated, for one read unit or two each.
    expect(both.trace.readUnits).toBeLessThanOrEqual(alone.trace.readUnits + 4);
  });

  test("a word that few messages have rules out others", async () => {
    expect((await candidates("rare seldom")).result).toEqual(newest((id) => isRare(id) && isSeldom(id)));
  });
});
