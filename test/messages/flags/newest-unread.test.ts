import { expect, test } from "vitest";
import { searchUnread } from "../../../shared/messaging/messages/flags/newest-unread.ts";
import type { Reader } from "../../../shared/messaging/messages/reader.ts";
import type { MessageSummary, RangeQuery } from "../../../shared/store/messages/messages.ts";
import { ReadMarks } from "../../../shared/store/messages/read-state.ts";
import { forAtMost } from "../../support/property.ts";
import { fc } from "../../support/random.ts";

/** Long lists of unread messages are read in parallel ranges of IDs, however the messages are spread over the IDs. */

const reader = { caller: { id: 1 }, reach: () => "received" } as unknown as Reader;

/** Stretches of messages, each with its distance between IDs: a channel is busy at times. */
const stretches = fc.array(
  fc.record({ count: fc.integer({ min: 1, max: 4000 }), step: fc.integer({ min: 1, max: 30 }) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);
const readRanges = fc.array(fc.record({ from: fc.nat(200_000), length: fc.nat(20_000) }), { maxLength: 4 });

/** Reads a channel that has messages of the given IDs. */
const readerOf =
  (ids: readonly number[]) =>
  async ({ from, to, descending, limit }: RangeQuery) => {
    const within = ids.filter((id) => id >= from && id <= to);
    const selected = (descending ? within.reverse() : within).slice(0, limit);
    return selected.map((id) => ({ id, senderId: 2, sentAt: 0 }) as MessageSummary);
  };

test("the newest unread messages of several channels are found, each once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(stretches, { minLength: 1, maxLength: 3 }),
      readRanges,
      fc.integer({ min: 1, max: 20_000 }),
      fc.boolean(),
      forAtMost(20_000, async (channels, ranges, maxMessages, hasEnd) => {
        const marks = new ReadMarks();
        for (const { from, length } of ranges) marks.markRange(from + 1, from + 1 + length);
        const allIds: number[] = [];
        const starts = channels.map((parts, channel) => {
          const ids: number[] = [];
          let id = 1 + channel;
          // Each ID belongs to one message only: the IDs of each channel have a remainder of their own.
          for (const { count, step } of parts)
            for (let n = 0; n < count; n++) {
              id += 3 * step;
              ids.push(id);
            }
          allIds.push(...ids);
          return { read: readerOf(ids), from: 0 };
        });
        const unread = allIds.filter((id) => marks.of(id) !== true).sort((a, b) => a - b);

        const search = await searchUnread(reader, marks, starts, maxMessages, hasEnd ? Math.max(...allIds) : undefined);
        const { messages, isCut } = await search.newest();

        expect(search.oldest ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(unread[0] ?? Number.POSITIVE_INFINITY);
        expect(messages.map(({ id }) => id)).toEqual(unread.slice(-maxMessages));
        expect(isCut).toBe(unread.length > maxMessages);
        const next = await search.newest();
        expect(next.messages.map(({ id }) => id)).toEqual(unread.slice(0, -maxMessages).slice(-maxMessages));
        expect(next.isCut).toBe(unread.length > 2 * maxMessages);
      }),
    ),
    { numRuns: 150 },
  );
});

/** IDs of `count` messages: every `step`th of the organization's. */
const idsWithStep = (step: number, count: number, first = 1) =>
  Array.from({ length: count }, (_, index) => first + index * step);

test.each([
  ["evenly spread", idsWithStep(3, 60_000), 60, 55_000],
  ["few", idsWithStep(40, 350), 1, 350],
  ["an import, and a few afterwards", [...idsWithStep(1, 2000), ...idsWithStep(5000, 200, 2001)], 15, 2300],
  ["rare at first, and frequent now", [...idsWithStep(40, 5000), ...idsWithStep(1, 60_000, 200_001)], 60, 65_000],
  ["frequent at first, and rare now", [...idsWithStep(1, 60_000), ...idsWithStep(40, 5000, 60_001)], 90, 65_000],
  [
    "rare, frequent and rare",
    [...idsWithStep(9, 9000), ...idsWithStep(1, 9000, 90_001), ...idsWithStep(9, 9000, 99_001)],
    80,
    40_000,
  ],
])("unread messages that are %s take few reads", async (_, ids, maxReads, maxFetched) => {
  let [reads, fetched] = [0, 0];
  const read = async (query: RangeQuery) => {
    const messages = await readerOf(ids)(query);
    reads++;
    fetched += messages.length;
    return messages;
  };

  const search = await searchUnread(reader, new ReadMarks(), [{ read, from: 0 }], 50_000, ids.at(-1));
  const { messages } = await search.newest();

  expect(messages.map(({ id }) => id)).toEqual(ids.slice(-50_000));
  expect([reads <= maxReads, fetched <= maxFetched], `${reads} reads of ${fetched} messages`).toEqual([true, true]);
});
