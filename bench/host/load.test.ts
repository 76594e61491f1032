import { expect, test } from "vitest";
import { load, summarize } from "./load.ts";

test("the percentiles of several runs are those of all their requests", () => {
  const steady = { seconds: 1, durationsMs: Array.from({ length: 99 }, () => 10) };
  const stalled = { seconds: 1, durationsMs: [1000] };

  expect(summarize([steady, stalled])).toEqual({ requests: 100, requestsPerSecond: 50, p50Ms: 10, p99Ms: 1000 });
});

test("every request is undone outside its measured time, and connections stop after whole cycles", async () => {
  const calls: string[] = [];
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  const { durationsMs } = await load(2, 0, async (connection, run) => void calls.push(`do ${connection} ${run}`), {
    cycle: 2,
    undo: async (connection, run) => {
      calls.push(`undo ${connection} ${run}`);
      await pause(300);
    },
  });

  expect(calls.toSorted()).toEqual(
    ["do 0 0", "do 0 1", "do 1 0", "do 1 1", "undo 0 0", "undo 0 1", "undo 1 0", "undo 1 1"].toSorted(),
  );
  expect(Math.max(...durationsMs)).toBeLessThan(300);
});
