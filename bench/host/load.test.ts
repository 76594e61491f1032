import { expect, test } from "vitest";
import { load, summarize } from "./load.ts";

test("the percentiles of several runs are those of all their requests", () => {
  const steady = { seconds: 1, durationsMs: Array.from({ length: 99 }, () => 10) };
  const stalled = { seconds: 1, durationsMs: [1000] };

  expect(summarize([steady, stalled])).toEqual({ requests: 100, requestsPerSecond: 50, p50Ms: 10, p99Ms: 1000 });
});

test("connections stop after whole cycles", async () => {
  const calls: string[] = [];

  await load(2, 0, async (connection, run) => void calls.push(`${connection} ${run}`), { cycle: 2 });

  expect(calls.toSorted()).toEqual(["0 0", "0 1", "1 0", "1 1"]);
});
