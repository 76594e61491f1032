import { resolve } from "node:path";
import type { DelayedComparison } from "./comparison/delayed.ts";
import { everydayRequests, prepare } from "./comparison/everyday.ts";
import { measure, startSide, untilQuiet } from "./comparison/side.ts";
import { readFigures, writeDocuments } from "./document.ts";
import { type LoadRun, summarize } from "./host/load.ts";
import { sections } from "./sections.ts";

/**
 * `node run.mjs bench/compare-delayed.ts <other checkout> <change>`: runs the hosts of another checkout and of this one with
 * delayed replies of their tables, alternately sends both the same everyday requests, and writes the latencies to
 * docs/speed.md, which says "Before and after <change>".
 */

const [otherCheckout, change = "the changes since that checkout"] = process.argv.slice(2);
if (!otherCheckout) {
  console.error(
    "Name the checkout to compare with, for example: node run.mjs bench/compare-delayed.ts ../skein-before",
  );
  process.exit(2);
}
/** How much later each reply of the table arrives. */
const delayMs = 5;
const connectionCounts = [1, 16];
const turnCount = 3;
const warmUpSeconds = 0.3;
const turnSeconds = Number(process.env.SKEIN_COMPARE_SECONDS ?? 1);

const checkouts = [otherCheckout, resolve(import.meta.dirname, "..")];
const sides = await Promise.all(checkouts.map(async (checkout) => prepare(await startSide(checkout, { delayMs }))));
const rows: DelayedComparison["rows"] = [];
try {
  for (const [act, { request, undo, leavesBackgroundWork }] of Object.entries(everydayRequests))
    for (const connections of connectionCounts) {
      const runs: LoadRun[][] = sides.map(() => []);
      for (let turn = 0; turn <= turnCount; turn++)
        for (const [index, side] of sides.entries()) {
          const sideRequests = {
            request: (_: unknown, connection: number, run: number) => request(side, connection, run),
            undo: undo && ((_: unknown, connection: number, run: number) => undo(side, connection, run)),
          };
          // The first turn warms up.
          const run = await measure(side, connections, turn === 0 ? warmUpSeconds : turnSeconds, sideRequests);
          if (turn > 0) runs[index]?.push(run);
          if (leavesBackgroundWork) await untilQuiet(sides);
        }
      const [before, after] = runs.map(summarize) as [ReturnType<typeof summarize>, ReturnType<typeof summarize>];
      rows.push({ act, connections, before, after });
      console.log(JSON.stringify(rows.at(-1)));
    }
} finally {
  await Promise.all(sides.map((side) => side.stop()));
}
const delayed: DelayedComparison = { change, delayMs, rows };
writeDocuments(sections, { ...readFigures(), delayed });
process.exit(0);
