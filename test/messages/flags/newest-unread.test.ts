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
          // An ID is one message's: those of a channel leave the same rest when divided.
          for (const { count, step } of parts)
            for (let n = 0; n < count; n++) {
              id += 3 * step;
              ids.push(id);
            }
          all.push(...ids);
          const readIds = async ({ from, to, descending, limit }: RangeQuery) => {
            const within = ids.filter((one) => one >= from && one <= to);
            const found = (descending ? within.reverse() : within).slice(0, limit);
            return found.map((one) => ({ id: one, senderId: 2, sentAt: 0 }) as MessageSummary);
          };
          return { read: readIds, from: 0 };
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
