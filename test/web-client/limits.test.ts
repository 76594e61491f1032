import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { isTooLong, storedLength } from "../../web/base/lib/length.ts";
import type { State } from "../../web/state/model.ts";
import { fits } from "../../web/state/recipient.ts";

const folder = resolve(import.meta.dirname, "../../web");

test("no field has a limit of the browser, which cuts without a word and counts UTF-16 units", () => {
  const files = globSync("**/*.{ts,tsx}", { cwd: folder });
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => /\bmaxlength\b/i.test(readFileSync(resolve(folder, file), "utf8")))).toEqual([]);
});

test("lengths count code points of what is stored", () => {
  expect(storedLength("🌊🌊")).toBe(2);
  expect(storedLength("\n\n  a b \n ")).toBe(5);
  expect(isTooLong("🌊".repeat(60), 60)).toBe(false);
  expect(isTooLong("🌊".repeat(61), 60)).toBe(true);
  expect(isTooLong(`${"a".repeat(60)}   `, 60)).toBe(false);
});

test("a message fits if neither its text nor its topic would be cut", () => {
  const state = { realm: { max_message_length: 10, max_topic_length: 3 } } as unknown as State;
  const topic = (name: string) => ({ kind: "topic", channelId: 1, topic: name }) as const;
  expect(fits(state, topic("🌊🌊🌊"), "🌊".repeat(10))).toBe(true);
  expect(fits(state, topic("four"), "text")).toBe(false);
  expect(fits(state, { kind: "direct", userIds: [1] }, "more than ten")).toBe(false);
});
