import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { featureLevel, limits } from "../shared/limits.ts";
import type { CallFigures } from "./calls.ts";
import { documentOf, readFigures, withFigures } from "./document.ts";
import { receivesOf, smokeTestsCost } from "./month/idle-load.ts";
import { prices } from "./month/prices.ts";
import { sections } from "./sections.ts";
import { heldPriceRatio } from "./waiting/waiting.ts";

test.each(["docs/cost.md", "docs/speed.md"] as const)(
  "%s matches the saved figures (if not: npm run bench -- pages)",
  (name) => {
    expect(documentOf(name, sections, readFigures())).toBe(readFileSync(name, "utf8"));
  },
);

test("README.md matches the saved figures (if not: npm run bench -- pages)", () => {
  const readme = readFileSync("README.md", "utf8");
  expect(readme).toContain("| 5,000 | $");
  expect(withFigures(readme, readFigures())).toBe(readme);
});

test.each([
  ["README.md", `feature level ${featureLevel}`],
  ["CHANGELOG.md", `feature level ${featureLevel}`],
  ["docs/architecture.md", `for ${Math.round(receivesOf(1) * prices.queueRequest * 100)} cents`],
  ["docs/operating.md", `for about ${smokeTestsCost().toFixed(2)} USD a month`],
  ["docs/operating.md", `two alarms (${(2 * prices.alarmMonth).toFixed(2)} USD a month)`],
  ["docs/operating.md", `may have ${limits.requestBodyBytes / 1e6} MB`],
])("%s says: %s", (page, words) => {
  expect(readFileSync(page, "utf8").replaceAll(/\s+/g, " ")).toContain(words);
});

test("docs/operating.md says how much more polls cost that functions hold", () => {
  expect(Math.round(heldPriceRatio(readFigures().waiting) / 10) * 10).toBe(40);
  expect(readFileSync("docs/operating.md", "utf8")).toContain("costs some forty times as much");
});

test("docs/data-model.md says what a poll at wake-up queues reads", () => {
  const { counted } = (readFigures().calls as CallFigures).sizes.at(-1) ?? { counted: [] };
  const poll = counted.find(({ name }) => name === "poll, nothing new");

  expect(poll?.writeUnits).toBe(0);
  expect(readFileSync("docs/data-model.md", "utf8")).toContain(`reads once: ${poll?.readUnits} RRU`);
});

const result = (requestsPerSecond: number) => ({ requests: 10, requestsPerSecond, p50Ms: 10, p99Ms: 20 });

test("the section on throughput states the background work of a sent message, and how much more many writers send than one", () => {
  const rows = [
    { act: "send: one writer each, own topic", connections: 1, rate: 50 },
    { act: "send: one writer each, own topic", connections: 16, rate: 100 },
    { act: "send: many writers, one topic", connections: 1, rate: 40 },
    { act: "send: many writers, one topic", connections: 16, rate: 64 },
  ].map(({ rate, ...row }) => ({
    ...{ ...row, tableCalls: 9, ratio: 1.5, backgroundMs: 7.04 },
    ...{ skein: result(rate), raw: result(2 * rate) },
  }));

  const text = sections.find(({ name }) => name === "throughput")?.text(rows, {});

  expect(text).toContain("For a sent message they need 7.0 ms more");
  expect(text).toContain("| send: many writers, one topic | 16 | 9 | 64.0 |");
  expect(text).toContain("16 writers in one topic send 1.60 times as many messages a second as one writer");
  expect(text).toContain("with a topic each\n2.00 times as many");
});
