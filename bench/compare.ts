import { resolve } from "node:path";
import type { Comparison } from "./comparison/comparison.ts";
import { measure, message, narrowTo, type Request, type Side, sendMessages, startSide } from "./comparison/side.ts";
import { readFigures, writeDocuments } from "./document.ts";
import { cpuMs } from "./host/bench-host.ts";
import { type LoadRun, summarize } from "./host/load.ts";
import { sections } from "./sections.ts";

/**
 * `node run.mjs bench/compare.ts <checkout> <what changed since> <where the difference goes>`: runs the hosts of another
 * checkout and of this one at the same time, alternately sends both the same requests, and writes the result to
 * docs/speed.md. Other load on the machine affects both alike, and hardly changes the CPU time of a request.
 */

const [other, change = "an earlier version", explanation] = process.argv.slice(2);
if (!other) {
  console.error("Name the checkout to compare with, for example: node run.mjs bench/compare.ts ../skein-before");
  process.exit(2);
}
const widths = [1, 16, 64];
const turns = 3;
const seconds = 0.6;
const acts = {
  poll: ({ queues }: Side, n: number): Request => [
    "GET",
    "/events",
    { queue_id: queues[n % 16], last_event_id: -1, dont_block: true },
  ],
  register: (): Request => ["POST", "/register", {}],
  "fetch 100": (): Request => [
    "GET",
    "/messages",
    { anchor: "newest", num_before: 100, num_after: 0, narrow: narrowTo("breach") },
  ],
  send: (_: Side, n: number): Request => message(`topic ${n}`),
};

const [before, after] = await Promise.all(
  [other, resolve(import.meta.dirname, "..")].map(async (checkout) => {
    const side = await startSide(checkout);
    await sendMessages(side, "breach", 8);
    return { side, runs: [] as LoadRun[], cpuMs: 0 };
  }),
);
if (!before || !after) throw new Error("A host is missing");
const rows: Comparison["rows"] = [];
try {
  for (const [act, request] of Object.entries(acts))
    for (const connections of widths) {
      for (const one of [before, after]) {
        Object.assign(one, { runs: [], cpuMs: 0 });
        await measure(one.side, connections, 0.3, { request });
      }
      for (let turn = 0; turn < turns; turn++)
        for (const one of [before, after]) {
          const used = cpuMs(one.side.pid);
          one.runs.push(await measure(one.side, connections, seconds, { request }));
          one.cpuMs += cpuMs(one.side.pid) - used;
        }
      const shown = ({ runs, cpuMs }: typeof before) => {
        const { requests, requestsPerSecond, p50Ms } = summarize(runs);
        return { cpuMs: cpuMs / requests, requestsPerSecond, p50Ms };
      };
      const row = { act, connections, before: shown(before), after: shown(after) };
      rows.push(row);
      console.log(JSON.stringify(row));
    }
} finally {
  await Promise.all([before, after].map(({ side }) => side.stop()));
}
const comparison: Comparison = { change, explanation, rows };
writeDocuments(sections, { ...readFigures(), comparison });
process.exit(0);
