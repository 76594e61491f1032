import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { aHistory } from "../test/support/table/seeding.ts";
import { channelOf, createUsers, residentMb, startBenchHost } from "./bench-host.ts";
import type { Answer } from "./client.ts";
import { percentiles } from "./load.ts";
import { type Section, table } from "./section.ts";
import { type Kept, Traffic } from "./soak-traffic.ts";

/** An hour of so many people's requests is pressed into 600 s; a shorter soak keeps their pace. */
const people = 500;
const requestsInHour = 42_000;
const seconds = Number(process.env.SKEIN_SOAK_SECONDS ?? 600);
const perSecond = requestsInHour / 600;
const connections = 24;
/** One AWS call in so many fails in the second part. */
const failing = 50;

interface Part {
  requests: number;
  seconds: number;
  /** Statuses and codes of replies that were no success, with their numbers. */
  refused: Record<string, number>;
  /** By quarters of the time. */
  p50Ms: number[];
  p99Ms: number[];
  residentMb: number[];
}

interface Soaked {
  seconds: number;
  calm: Part;
  failing: Part;
  kept: Kept;
}

/** An organization's traffic for a while, then the same with a table, queues and schedules that fail. */
export const soak: Section<Soaked> = {
  name: "soak",
  document: "docs/speed.md",
  title: "Soak",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-soak-"));
    const faults = join(folder, "share");
    const stage = await startBenchHost({ program: "bench/failing-host.ts", env: { SKEIN_BENCH_FAULTS: faults } });
    try {
      const figures = await soaked(stage.url, stage.pid, (share) => writeFileSync(faults, String(share)));
      const broken = brokenPromises(figures);
      if (broken.length > 0) throw new Error(`The soak did not hold: ${broken.join("; ")}\n${JSON.stringify(figures)}`);
      return figures;
    } finally {
      await stage.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  text: ({ seconds: took, calm, failing: bad, kept }) =>
    [
      `The requests of an organization of ${people} people, ${requestsInHour.toLocaleString("en-US")} in an hour (presence, polling, fetching, marking, typing, sending, reacting,`,
      `registering, scheduling), come six times as fast as in life for ${took} s (600 are the whole hour; \`SKEIN_SOAK_SECONDS\` makes it shorter).`,
      `Then comes half as much with one in ${failing} of the functions' calls to the table, the queues and the scheduler failing, throttled or broken,`,
      "half of them after they have taken effect. The run fails unless all of this holds: while nothing fails nothing is refused,",
      "and the last quarter is neither slower than the first nor larger in memory; while calls fail, whoever is not served is told",
      "so by a status of 5xx and a code; and in the end nothing that was acknowledged in either part is missing or there twice.",
      "",
      table(
        ["", "requests", "p50 ms by quarters", "p99 ms by quarters", "resident MB by quarters", "not successful"],
        (
          [
            ["calm", calm],
            ["failing", bad],
          ] as const
        ).map(([name, part]) => [
          name,
          part.requests,
          ...[part.p50Ms, part.p99Ms, part.residentMb].map((values) =>
            values.map((value) => Math.round(value)).join(", "),
          ),
          Object.entries(part.refused)
            .map(([what, times]) => `${times} × ${what}`)
            .join("; ") || "none",
        ]),
      ),
      "",
      `Afterwards ${kept.lost} of ${kept.sent} acknowledged messages were missing and ${kept.undelivered} of ${kept.scheduled} scheduled ones undelivered; ${kept.twice} of these or of the ${kept.unsure} whose`,
      `senders were told of an error were there twice. Of ${kept.awaited} receptions at the event queues of those who listened ${kept.missed} were missing`,
      `and ${kept.receivedTwice} came twice. Of ${kept.reactions} reactions ${kept.reactionsLost} were missing, of ${kept.marks} messages marked as read ${kept.marksLost}.`,
    ].join("\n"),
};

async function soaked(url: string, pid: number, setFaults: (share: number) => void): Promise<Soaked> {
  const actors = await createUsers(people);
  const channel = await channelOf("soak", actors);
  const { last } = await aHistory(2000, { channel, senderId: (index) => actors[index % people]?.id ?? 0 });
  const traffic = new Traffic(url, connections, actors, channel.id, last);
  await traffic.begin();
  let index = 0;
  const ask = () => traffic.ask(index++);
  console.log("  calm ...");
  const calm = await part(seconds, pid, ask);
  console.log("  failing ...");
  setFaults(1 / failing);
  const bad = await part(seconds / 2, pid, ask);
  setFaults(0);
  // The host looks for it ten times a second.
  await pause(500);
  console.log("  is everything there? ...");
  const kept = await traffic.kept();
  traffic.end();
  return { seconds, calm, failing: bad, kept };
}

/** Requests at the pace of the compressed hour, for some seconds. */
async function part(lasting: number, pid: number, ask: () => Promise<Answer>): Promise<Part> {
  const total = Math.round(perSecond * lasting);
  const took: [quarter: number, ms: number][] = [];
  const refused: Record<string, number> = {};
  const memory: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < total; number = next++) {
      const due = startedAt + (number / perSecond) * 1000;
      if (due > performance.now()) await pause(due - performance.now());
      const at = performance.now();
      const { status, bytes } = await ask();
      took.push([Math.floor((number / total) * 4), performance.now() - at]);
      if ((number + 1) % Math.ceil(total / 4) === 0) memory.push(residentMb(pid));
      if (status !== 200) {
        const what = `${status} ${codeIn(bytes)}`;
        refused[what] = (refused[what] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const tookSeconds = (performance.now() - startedAt) / 1000;
  while (memory.length < 4) memory.push(residentMb(pid));
  const quarters = [0, 1, 2, 3].map((wanted) =>
    percentiles(took.flatMap(([quarter, ms]) => (quarter === wanted ? ms : []))),
  );
  return {
    ...{ requests: total, seconds: tookSeconds, refused },
    p50Ms: quarters.map(({ p50Ms }) => p50Ms),
    p99Ms: quarters.map(({ p99Ms }) => p99Ms),
    residentMb: memory,
  };
}

/** An error's code; what is no error's envelope is told by its beginning. */
function codeIn(bytes: Buffer): string {
  try {
    const { result, code } = JSON.parse(String(bytes));
    if (result === "error" && typeof code === "string") return code;
  } catch {}
  return `unclear ${String(bytes).slice(0, 100)}`;
}

/** What a soak must show and these figures do not. */
function brokenPromises({ calm, failing: bad, kept }: Soaked): string[] {
  const [first = 0, , , last = 0] = calm.p50Ms;
  const [atFirst = 0, , , atLast = 0] = calm.residentMb;
  const unclear = Object.keys(bad.refused).filter((what) => !/^5\d\d [A-Z_]+$/.test(what));
  const { lost, twice, undelivered, reactionsLost, marksLost, missed, receivedTwice } = kept;
  const wrong = { lost, twice, undelivered, reactionsLost, marksLost, missed, receivedTwice };
  return [
    ...Object.entries(calm.refused).map(([what, times]) => `${times} × ${what} while nothing failed`),
    ...(calm.seconds > seconds * 1.05 ? [`it took ${Math.round(calm.seconds)} s instead of ${seconds}`] : []),
    // Half as much again, and a few milliseconds, are a machine's moods.
    ...(last > first * 1.5 + 5 ? [`half of the requests took ${first} ms at first and ${last} ms at last`] : []),
    ...(atLast > atFirst * 1.25 ? [`memory grew from ${atFirst} to ${atLast} MB`] : []),
    ...unclear.map((what) => `${bad.refused[what]} × ${what} while calls failed`),
    ...Object.entries(wrong).flatMap(([what, times]) => (times > 0 ? [`${times} ${what}`] : [])),
  ];
}
