import type { LoadResult } from "../host/load.ts";
import { type Section, table } from "../section.ts";

export interface DelayedComparison {
  /** What changed between the two versions, as the end of "before and after …". */
  change: string;
  /** How much later each reply of the table arrives. */
  delayMs: number;
  rows: { act: string; connections: number; before: LoadResult; after: LoadResult }[];
}

const formatted = (value: number) => (value >= 100 ? Math.round(value) : value.toFixed(1));

/** The latency of everyday requests when each table call takes longer. `bench/compare-delayed.ts` measures it. */
export const delayed: Section<DelayedComparison> = {
  name: "delayed",
  document: "docs/speed.md",
  title: "Latency with a slower table",
  measuredBy: "bench/compare-delayed.ts",
  text: ({ change, delayMs, rows }) =>
    [
      `Before and after ${change}. Each reply of the table arrives ${delayMs} ms later`,
      "(`node run.mjs bench/compare-delayed.ts <other checkout>`). The embedded engine replies faster than DynamoDB. With the delay, the latency",
      "at one connection shows how many table calls a request makes one after the other. At sixteen connections this machine's processors limit it as well.",
      "A proxy between each host and its engine delays the replies. Both hosts run at the same time and take turns in serving the same requests.",
      "",
      table(
        ["request", "connections", "p50 ms before", "after", "ratio", "p99 ms before", "after", "ratio"],
        rows.map(({ act, connections, before, after }) => [
          ...[act, connections],
          ...(["p50Ms", "p99Ms"] as const).flatMap((percentile) => [
            ...[before[percentile], after[percentile]].map(formatted),
            (after[percentile] / before[percentile]).toFixed(2),
          ]),
        ]),
      ),
    ].join("\n"),
};
