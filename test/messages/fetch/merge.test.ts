import fc from "fast-check";
import { expect, test } from "vitest";
import { readMerged } from "../../../shared/messages/fetch/merge.ts";
import { listSource } from "../../../shared/messages/fetch/sources.ts";
import { ReadMarks } from "../../../shared/store/messages/read-state.ts";

const run = fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 60 }).map((ids) => ids.sort((a, b) => a - b));

test("merging runs gives the sorted union without duplicates", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(run, { maxLength: 12 }),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 300 }),
      fc.nat({ max: 80 }),
      fc.boolean(),
      async (runs, one, other, limit, descending) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const inRange = [...new Set(runs.flat())].filter((id) => from <= id && id <= to).sort((a, b) => a - b);
        const expected = (descending ? inRange.reverse() : inRange).slice(0, limit);

        const merged = await readMerged(runs.map(listSource), { from, to, descending, limit });

        expect(merged.map(({ id }) => id)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("merging five thousand messages of two hundred channels is fast", async () => {
  const runs = Array.from({ length: 200 }, (_, channel) =>
    Array.from({ length: 100 }, (_, index) => index * 200 + channel + 1),
  );
  const query = { from: 1, to: 1e9, descending: true, limit: 5000 };

  const started = performance.now();
  const merged = await readMerged(runs.map(listSource), query);

  expect(merged).toHaveLength(5000);
  expect(performance.now() - started).toBeLessThan(2000);
});

test("advancing the floor skips read messages and stops at each gap", () => {
  fc.assert(
    fc.property(run, fc.integer({ min: 0, max: 300 }), (read, from) => {
      const marks = new ReadMarks();
      for (const id of read) marks.mark(id + 32_700, true);
      const isRead = (id: number) => read.includes(id - 32_700);
      let expected = from + 32_700;
      while (isRead(expected)) expected++;

      expect(marks.nextNotRead(from + 32_700)).toBe(expected);
    }),
  );
});

test("the newest message marked as read is found in whichever segment it is", () => {
  const id = fc.integer({ min: 0, max: 3 * 32_768 });
  fc.assert(
    fc.property(fc.array(id, { maxLength: 5 }), fc.array(id, { maxLength: 5 }), id, (read, unread, upTo) => {
      const marks = new ReadMarks();
      for (const one of read) marks.mark(one, true);
      for (const one of unread) marks.mark(one, false);

      expect(marks.lastRead(upTo)).toBe(Math.max(-1, ...read.filter((one) => one <= upTo && !unread.includes(one))));
    }),
  );
});

test("a range is marked across segments, and marking as unread splits it", () => {
  const marks = new ReadMarks();
  marks.markRange(10, 100_000);
  marks.mark(70_000, false);

  expect([9, 10, 70_000, 100_000, 100_001].map((id) => marks.of(id))).toEqual([
    undefined,
    true,
    false,
    true,
    undefined,
  ]);
  expect(marks.nextNotRead(10)).toBe(70_000);
  expect(marks.nextNotRead(70_001)).toBe(100_001);
  expect(marks.writes(1)).toHaveLength(4);
});
