import { resolve } from "node:path";
import type { Comparison } from "./comparison/comparison.ts";
import { measure, message, narrowTo, type Request, type Side, sendMessages, startSide } from "./comparison/side.ts";
import { readFigures, writeDocuments } from "./document.ts";
import { cpuMs } from "./host/bench-host.ts";
import { type LoadRun, summarize } from "./host/load.ts";
import { sections } from "./sections.ts";

/**
 * `node run.mjs bench/compare.ts <other checkout> <change> <explanation>`: runs the hosts of another checkout and of this one
 * at the same time, alternately sends both the same requests, and writes the result to docs/speed.md, which says "Before and
 * after <change>" and ends with the explanation of the difference. Other load on the machine affects both alike, and hardly
 * changes the CPU time of a request.
 */

const [otherCheckout, change = "an earlier version", explanation] = process.argv.slice(2);
if (!otherCheckout) {
  console.error("Name the checkout to compare with, for example: node run.mjs bench/compare.ts ../skein-before");
  process.exit(2);
}
const connectionCounts = [1, 16, 64];
const turnCount = 3;
const warmUpSeconds = 0.3;
const turnSeconds = 0.6;
const requestsByAct = {
  poll: ({ queues }: Side, connection: number): Request => [
    "GET",
    "/events",
    { queue_id: queues[connection % 16], last_event_id: -1, dont_block: true },
  ],
  register: (): Request => ["POST", "/register", {}],
  "fetch 100": (): Request => [
    "GET",
    "/messages",
    { anchor: "newest", num_before: 100, num_after: 0, narrow: narrowTo("breach") },
  ],
  send: (_: Side, connection: number): Request => message(`topic ${connection}`),
};

const [before, after] = await Promise.all(
  [otherCheckout, resolve(import.meta.dirname, "..")].map(async (checkout) => {
    const side = await startSide(checkout);
    await sendMessages(side, "breach", 8);
    return { side, runs: [] as LoadRun[], cpuMs: 0 };
  }),
);
if (!before || !after) throw new Error("A host is missing");
const rows: Comparison["rows"] = [];
try {
  for (const [act, request] of Object.entries(requestsByAct))
    for (const connections of connectionCounts) {
      for (const measurement of [before, after]) {
        Object.assign(measurement, { runs: [], cpuMs: 0 });
        await measure(measurement.side, connections, warmUpSeconds, { request });
      }
      for (let turn = 0; turn < turnCount; turn++)
        for (const measurement of [before, after]) {
          const cpuMsBefore = cpuMs(measurement.side.pid);
          measurement.runs.push(await measure(measurement.side, connections, turnSeconds, { request }));
          measurement.cpuMs += cpuMs(measurement.side.pid) - cpuMsBefore;
        }
      const figuresOf = ({ runs, cpuMs: totalCpuMs }: typeof before) => {
        const { requests, requestsPerSecond, p50Ms } = summarize(runs);
        return { cpuMs: totalCpuMs / requests, requestsPerSecond, p50Ms };
      };
      const row = { act, connections, before: figuresOf(before), after: figuresOf(after) };
      rows.push(row);
      console.log(JSON.stringify(row));
    }
} finally {
  await Promise.all([before, after].map(({ side }) => side.stop()));
}
const comparison: Comparison = { change, explanation, rows };
writeDocuments(sections, { ...readFigures(), comparison });
process.exit(0);
