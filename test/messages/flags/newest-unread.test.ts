import fc from "fast-check";
import { expect, test } from "vitest";
import { searchUnread } from "../../../shared/messages/flags/newest-unread.ts";
import type { Reader } from "../../../shared/messages/reader.ts";
import type { MessageSummary, RangeQuery } from "../../../shared/store/messages/messages.ts";
import { ReadMarks } from "../../../shared/store/messages/read-state.ts";
import { forAtMost } from "../../support/property.ts";

/** Long lists of unread messages are read in ranges of IDs side by side, however the messages are spread over the IDs. */

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
    const within = ids.filter((one) => one >= from && one <= to);
    const found = (descending ? within.reverse() : within).slice(0, limit);
    return found.map((one) => ({ id: one, senderId: 2, sentAt: 0 }) as MessageSummary);
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
        const all: number[] = [];
        const starts = channels.map((parts, channel) => {
          const ids: number[] = [];
          let id = 1 + channel;
          // An ID is one message's: those of a channel have the same remainder.
          for (const { count, step } of parts)
            for (let n = 0; n < count; n++) {
              id += 3 * step;
              ids.push(id);
            }
          all.push(...ids);
          return { read: readerOf(ids), from: 0 };
        });
        const unread = all.filter((id) => marks.of(id) !== true).sort((a, b) => a - b);

        const search = await searchUnread(reader, marks, starts, maxMessages, hasEnd ? Math.max(...all) : undefined);
        const { messages, isCut } = await search.newest();

        expect(search.oldest ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(unread[0] ?? Number.POSITIVE_INFINITY);
        expect(messages.map(({ id }) => id)).toEqual(unread.slice(-maxMessages));
        expect(isCut).toBe(unread.length > maxMessages);
      }),
    ),
    { numRuns: 150 },
  );
});

/** IDs of `count` messages, one in `step` of the organization's. */
const every = (step: number, count: number, first = 1) =>
  Array.from({ length: count }, (_, index) => first + index * step);

test.each([
  ["evenly spread", every(3, 60_000), 60, 55_000],
  ["few", every(40, 350), 1, 350],
  ["an import, and a few afterwards", [...every(1, 2000), ...every(5000, 200, 2001)], 15, 2300],
  ["rare at first, and frequent now", [...every(40, 5000), ...every(1, 60_000, 200_001)], 60, 65_000],
  ["frequent at first, and rare now", [...every(1, 60_000), ...every(40, 5000, 60_001)], 90, 65_000],
  ["rare, frequent and rare", [...every(9, 9000), ...every(1, 9000, 90_001), ...every(9, 9000, 99_001)], 80, 40_000],
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
