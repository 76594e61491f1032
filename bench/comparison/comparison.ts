import { type Section, table } from "../section.ts";

/** The measurements of one version. */
interface VersionFigures {
  /** CPU time of the host's process for one request. */
  cpuMs: number;
  requestsPerSecond: number;
  p50Ms: number;
}

export interface Comparison {
  /** What changed between the two versions, as the end of "before and after …". */
  change: string;
  /** What causes the difference, as sentences. */
  explanation?: string | undefined;
  rows: { act: string; connections: number; before: VersionFigures; after: VersionFigures }[];
}

const rounded = (value: number) => (value >= 100 ? Math.round(value) : value.toFixed(1));

/** Compares two versions. `bench/compare.ts` measures it, since `npm run bench` has only one checkout. */
export const comparison: Section<Comparison> = {
  name: "comparison",
  document: "docs/speed.md",
  title: "Two versions side by side",
  measuredBy: "bench/compare.ts",
  text: ({ change, explanation, rows }) =>
    [
      `Before and after ${change}. Both hosts run at the same time and take turns in serving the same requests`,
      "(`node run.mjs bench/compare.ts <other checkout>`). CPU time is that of the host's process, without the engine's.",
      "",
      table(
        [
          "request",
          "connections",
          "CPU ms before",
          "after",
          "ratio",
          "requests/s before",
          "after",
          "p50 ms before",
          "after",
        ],
        rows.map(({ act, connections, before, after }) => [
          ...[act, connections, before.cpuMs.toFixed(2), after.cpuMs.toFixed(2)],
          (after.cpuMs / before.cpuMs).toFixed(2),
          ...[before.requestsPerSecond, after.requestsPerSecond, before.p50Ms, after.p50Ms].map(rounded),
        ]),
      ),
      ...(explanation ? ["", explanation] : []),
    ].join("\n"),
};
