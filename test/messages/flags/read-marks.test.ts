import { expect, test } from "vitest";
import { ReadMarks } from "../../../shared/store/messages/read-state.ts";
import { fc } from "../../support/random.ts";

/** Puts small IDs near the end of the first segment of 32,768 IDs. */
const offset = 32_700;
const someIds = fc
  .uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 60 })
  .map((ids) => ids.sort((a, b) => a - b));

test("nextNotRead skips messages marked as read and returns the first other ID", () => {
  fc.assert(
    fc.property(someIds, fc.integer({ min: 0, max: 300 }), (readIds, from) => {
      const marks = new ReadMarks();
      for (const id of readIds) marks.mark(id + offset, true);
      const isRead = (id: number) => readIds.includes(id - offset);
      let expected = from + offset;
      while (isRead(expected)) expected++;

      expect(marks.nextNotRead(from + offset)).toBe(expected);
    }),
  );
});

test("lastRead finds the newest message marked as read, whichever segment it is in", () => {
  const anyId = fc.integer({ min: 0, max: 3 * 32_768 });
  fc.assert(
    fc.property(fc.array(anyId, { maxLength: 5 }), fc.array(anyId, { maxLength: 5 }), anyId, (read, unread, upTo) => {
      const marks = new ReadMarks();
      for (const id of read) marks.mark(id, true);
      for (const id of unread) marks.mark(id, false);

      expect(marks.lastRead(upTo)).toBe(Math.max(-1, ...read.filter((id) => id <= upTo && !unread.includes(id))));
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
