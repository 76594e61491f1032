import { expect, test } from "vitest";
import { nearestFirst, shorten, windowAround } from "../../../shared/messaging/messages/fetch/reply-window.ts";
import type { MessageObject } from "../../../shared/messaging/messages/wire.ts";

const ids = [10, 20, 30, 40, 50];
const megabyte = 1_000_000;

test.each([
  ["everything that fits", [1, 1, 1, 1, 1], 30, [0, 5]],
  ["the anchor, however large", [1, 1, 9 * megabyte, 1, 1], 30, [2, 3]],
  ["the nearest", [megabyte, megabyte, megabyte, megabyte, megabyte], 30, [1, 4]],
  ["the newest", [megabyte, megabyte, megabyte, megabyte, megabyte], 10_000_000_000_000_000, [2, 5]],
  ["the oldest", [megabyte, megabyte, megabyte, megabyte, megabyte], 0, [0, 3]],
  ["no message behind one that does not fit", [1, 1, 1, 9 * megabyte, 1], 10, [0, 3]],
])("a reply has %s", (_, sizes, anchor, [start, end]) => {
  expect(windowAround(ids, (index) => sizes[index] as number, anchor)).toEqual({ start, end });
});

test("messages are taken in by their distance from the anchor, the older first, until one does not fit", () => {
  const seen: number[] = [];
  for (const anchor of [0, 10, 25, 30, 41, 10_000_000_000_000_000]) {
    const order = nearestFirst(ids, anchor);
    for (let fitting = 1; fitting <= ids.length; fitting++) {
      const { start, end } = windowAround(ids, () => 3 * megabyte * (1 / fitting), anchor);

      expect(order.slice(0, fitting).sort()).toEqual([...ids.keys()].slice(start, end));
      seen.push(end - start);
    }
  }
  expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4, 5]));
});

test("an empty list has an empty window", () => {
  expect(windowAround([], () => 1, 5)).toEqual({ start: 0, end: 0 });
});

const message = (parts: Partial<MessageObject>) =>
  ({
    ...{ id: 1, content: "<p>text</p>", content_type: "text/html", display_recipient: "stage" },
    ...{ submessages: [], reactions: [], topic_links: [] },
    ...parts,
  }) as unknown as MessageObject;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test.each([
  [
    "submessages",
    { submessages: Array.from({ length: 50_000 }, (_, id) => ({ id, msg_type: "widget", content: "x".repeat(100) })) },
    /\d+ of 50000 submessages/,
  ],
  [
    "reactions",
    { reactions: Array.from({ length: 60_000 }, () => ({ emoji_name: "x".repeat(100) })) },
    /of 60000 reactions/,
  ],
  ["earlier texts", { edit_history: [{ prev_content: "x".repeat(4 * megabyte) }] }, /its earlier texts/],
  ["text", { content: "<b>".repeat(2 * megabyte) }, /most of its text/],
])("a message with too many %s is shortened, and says so", (_, parts, notice) => {
  const shortened = shorten(message(parts as Partial<MessageObject>));

  expect(bytesOf(shortened)).toBeLessThanOrEqual(3_000_000);
  expect(shortened.content).toMatch(notice);
  expect(shortened.content).not.toMatch(/<b>/);
});

test("a message that fits is not changed", () => {
  const full = message({ reactions: [{ emoji_name: "x" }] as never });

  expect(shorten(full)).toBe(full);
});
