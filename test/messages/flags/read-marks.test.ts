import fc from "fast-check";
import { expect, test } from "vitest";
import { ReadMarks } from "../../../shared/store/messages/read-state.ts";

const someIds = fc
  .uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 60 })
  .map((ids) => ids.sort((a, b) => a - b));

test("nextNotRead skips messages marked as read and returns the first other ID", () => {
  fc.assert(
    fc.property(someIds, fc.integer({ min: 0, max: 300 }), (read, from) => {
      const marks = new ReadMarks();
      for (const id of read) marks.mark(id + 32_700, true);
      const isRead = (id: number) => read.includes(id - 32_700);
      let expected = from + 32_700;
      while (isRead(expected)) expected++;

      expect(marks.nextNotRead(from + 32_700)).toBe(expected);
    }),
  );
});

test("lastRead finds the newest message marked as read, whichever segment it is in", () => {
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

test("markRange marks IDs across segments, and marking one as unread splits the range", () => {
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
