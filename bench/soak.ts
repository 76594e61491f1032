import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { aHistory } from "../test/support/table/seeding.ts";
import { channelOf, createUsers, residentMb, startBenchHost } from "./host/bench-host.ts";
import type { Answer } from "./host/client.ts";
import { percentiles } from "./host/load.ts";
import { type Section, table } from "./section.ts";
import { Traffic, type Verification } from "./soak-traffic.ts";

/** The requests that this many people make in an hour are sent within 600 s; a shorter soak keeps this pace. */
const people = 500;
const requestsInHour = 42_000;
const seconds = Number(process.env.SKEIN_SOAK_SECONDS ?? 600);
const perSecond = requestsInHour / 600;
const connections = 24;
/** One AWS call in this many fails in the second part. */
const failing = 50;

interface Part {
  requests: number;
  seconds: number;
  /** How often each status and code of a failed request occurred. */
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
  verified: Verification;
}

/** An organization's traffic, first without faults, then with failing calls to the table, queues and schedules. */
export const soak: Section<Soaked> = {
  name: "soak",
  document: "docs/speed.md",
  title: "Soak",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-soak-"));
    const faults = join(folder, "share");
    const host = await startBenchHost({ program: "bench/host/failing-host.ts", env: { SKEIN_BENCH_FAULTS: faults } });
    try {
      const figures = await soaked(host.url, host.pid, (share) => writeFileSync(faults, String(share)));
      const broken = unmetRequirements(figures);
      if (broken.length > 0) throw new Error(`The soak failed: ${broken.join("; ")}\n${JSON.stringify(figures)}`);
      return figures;
    } finally {
      await host.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  text: ({ seconds: took, calm, failing: bad, verified }) =>
    [
      `The soak test sends the requests of an organization of ${people} people, ${requestsInHour.toLocaleString("en-US")} in an hour (presence, polls, fetches, read marks, typing, messages,`,
      `reactions, registrations, scheduled messages), six times as fast as in reality, for ${took} s (600 s are a whole hour; \`SKEIN_SOAK_SECONDS\` shortens it).`,
      `It then sends half as many requests while one in ${failing} of the functions' calls to the table, the queues and the scheduler fails, by throttling or with an`,
      "internal error; half of the failed calls have taken effect. The test requires that",
      "",
      "- without faults no request fails, and the last quarter is no slower and needs no more memory than the first;",
      "- with faults every request that fails gets a 5xx status and an error code;",
      "- in the end nothing that was acknowledged in either part is missing or duplicated.",
      "",
      table(
        ["", "requests", "p50 ms by quarter", "p99 ms by quarter", "resident MB by quarter", "failed"],
        (
          [
            ["without faults", calm],
            ["with faults", bad],
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
      `Afterwards ${verified.lost} of ${verified.sent} acknowledged messages were missing, and ${verified.undelivered} of ${verified.scheduled} scheduled messages were undelivered; ${verified.twice} of these, or of the`,
      `${verified.unsure} messages whose senders got an error, were duplicated. Of ${verified.awaited} expected deliveries to event queues ${verified.missed} were missing and`,
      `${verified.receivedTwice} were duplicated. ${verified.reactionsLost} of ${verified.reactions} reactions and ${verified.marksLost} of ${verified.marks} read marks were missing.`,
    ].join("\n"),
};

async function soaked(url: string, pid: number, setFaults: (share: number) => void): Promise<Soaked> {
  const actors = await createUsers(people);
  const channel = await channelOf("soak", actors);
  const { last } = await aHistory(2000, { channel, senderId: (index) => actors[index % people]?.id ?? 0 });
  const traffic = new Traffic(url, connections, actors, channel.id, last);
  await traffic.begin();
  let index = 0;
  const send = () => traffic.send(index++);
  console.log("  without faults ...");
  const calm = await part(seconds, pid, send);
  console.log("  with faults ...");
  setFaults(1 / failing);
  const bad = await part(seconds / 2, pid, send);
  setFaults(0);
  // The host reads the file ten times a second.
  await pause(500);
  console.log("  checking what was stored ...");
  const verified = await traffic.verify();
  traffic.end();
  return { seconds, calm, failing: bad, verified };
}

/** Requests at the pace of the compressed hour, for some seconds. */
async function part(lasting: number, pid: number, send: () => Promise<Answer>): Promise<Part> {
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
      const { status, bytes } = await send();
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

/** The code of an error reply; for a body that is not an error envelope, its first characters. */
function codeIn(bytes: Buffer): string {
  try {
    const { result, code } = JSON.parse(String(bytes));
    if (result === "error" && typeof code === "string") return code;
  } catch {}
  return `no error envelope: ${String(bytes).slice(0, 100)}`;
}

/** The requirements that these figures do not meet. */
function unmetRequirements({ calm, failing: bad, verified }: Soaked): string[] {
  const [first = 0, , , last = 0] = calm.p50Ms;
  const [atFirst = 0, , , atLast = 0] = calm.residentMb;
  const unclear = Object.keys(bad.refused).filter((what) => !/^5\d\d [A-Z_]+$/.test(what));
  const { lost, twice, undelivered, reactionsLost, marksLost, missed, receivedTwice } = verified;
  const wrong = { lost, twice, undelivered, reactionsLost, marksLost, missed, receivedTwice };
  return [
    ...Object.entries(calm.refused).map(([what, times]) => `${times} × ${what} without faults`),
    ...(calm.seconds > seconds * 1.05 ? [`it took ${Math.round(calm.seconds)} s instead of ${seconds}`] : []),
    // Tolerates 50 % and 5 ms, the variance of a shared machine.
    ...(last > first * 1.5 + 5 ? [`the median grew from ${first} to ${last} ms`] : []),
    ...(atLast > atFirst * 1.25 ? [`memory grew from ${atFirst} to ${atLast} MB`] : []),
    ...unclear.map((what) => `${bad.refused[what]} × ${what} with faults`),
    ...Object.entries(wrong).flatMap(([what, times]) => (times > 0 ? [`${times} ${what}`] : [])),
  ];
}
