import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { aHistory } from "../test/support/table/seeding.ts";
import { createChannel, createUsers, residentMb, startBenchHost } from "./host/bench-host.ts";
import type { Answer } from "./host/client.ts";
import { percentiles } from "./host/load.ts";
import { type Section, table } from "./section.ts";
import { Traffic, type Verification } from "./soak-traffic.ts";

const people = 500;
/** The requests that these people make in an hour. */
const requestsInHour = 42_000;
/** The soak sends an hour's requests within this time. A shorter soak keeps the pace and sends fewer requests. */
const compressedHourSeconds = 600;
const soakSeconds = Number(process.env.SKEIN_SOAK_SECONDS ?? compressedHourSeconds);
const requestsPerSecond = requestsInHour / compressedHourSeconds;
const connections = 24;
/** One AWS call in this many fails in the second part. */
const callsPerFault = 50;
/** The first part may take this much longer than planned. */
const maxDelayRatio = 1.05;
/** The host's memory may grow this much from the first quarter to the last: caches fill. */
const maxMemoryRatio = 1.25;

interface Part {
  requests: number;
  seconds: number;
  /** How often each status and code of a failed request occurred; a key is, for example, "500 INTERNAL_SERVER_ERROR". */
  refused: Record<string, number>;
  /** By quarters of the requests, like the figures below. */
  p50Ms: number[];
  p99Ms: number[];
  residentMb: number[];
}

interface SoakFigures {
  seconds: number;
  calm: Part;
  failing: Part;
  verified: Verification;
}

/** An organization's traffic, first without faults, then with failing calls to the table, queues and schedules. */
export const soak: Section<SoakFigures> = {
  name: "soak",
  document: "docs/speed.md",
  title: "Soak",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-soak-"));
    const faultsFile = join(folder, "share");
    const host = await startBenchHost({
      program: "bench/host/failing-host.ts",
      env: { SKEIN_BENCH_FAULTS: faultsFile },
    });
    try {
      const figures = await runSoak(host.url, host.pid, (share) => writeFileSync(faultsFile, String(share)));
      const unmet = unmetRequirements(figures);
      if (unmet.length > 0) throw new Error(`The soak failed: ${unmet.join("; ")}\n${JSON.stringify(figures)}`);
      return figures;
    } finally {
      await host.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  text: ({ seconds, calm, failing: faulty, verified }) =>
    [
      `The requests of ${people} people, ${requestsInHour.toLocaleString("en-US")} an hour, are sent six times as fast as in reality, for ${seconds} s (\`SKEIN_SOAK_SECONDS\`). Then half as`,
      `many are sent while one in ${callsPerFault} of the functions' calls fails, by throttling or with an internal error; half of the failed calls have taken effect.`,
      "Without faults, no request may fail; with faults, what fails must get a 5xx status and an error code.",
      "",
      table(
        ["", "requests", "p50 ms by quarter", "p99 ms by quarter", "resident MB by quarter", "failed"],
        (
          [
            ["without faults", calm],
            ["with faults", faulty],
          ] as const
        ).map(([name, part]) => [
          name,
          part.requests,
          ...[part.p50Ms, part.p99Ms, part.residentMb].map((values) =>
            values.map((value) => Math.round(value)).join(", "),
          ),
          Object.entries(part.refused)
            .map(([failure, times]) => `${times} × ${failure}`)
            .join("; ") || "none",
        ]),
      ),
      "",
      `Missing in the end: ${verified.lost} of ${verified.sent} acknowledged messages, ${verified.undelivered} of ${verified.scheduled} scheduled messages, ${verified.missed} of ${verified.awaited} deliveries to event queues,`,
      `${verified.reactionsLost} of ${verified.reactions} reactions, ${verified.marksLost} of ${verified.marks} read marks. Duplicated: ${verified.twice} messages, including the ${verified.unsure} whose senders got an error, and`,
      `${verified.receivedTwice} deliveries.`,
    ].join("\n"),
};

async function runSoak(url: string, pid: number, setFaults: (share: number) => void): Promise<SoakFigures> {
  const actors = await createUsers(people);
  const channel = await createChannel("soak", actors);
  const { last } = await aHistory(2000, { channel, senderId: (index) => actors[index % people]?.id ?? 0 });
  const traffic = new Traffic(url, connections, actors, channel.id, last);
  await traffic.begin();
  let index = 0;
  const send = () => traffic.send(index++);
  console.log("  without faults ...");
  const calm = await runPart(soakSeconds, pid, send);
  console.log("  with faults ...");
  setFaults(1 / callsPerFault);
  const faulty = await runPart(soakSeconds / 2, pid, send);
  setFaults(0);
  // The host reads the share of faults ten times a second.
  await pause(500);
  console.log("  checking what was stored ...");
  const verified = await traffic.verify();
  traffic.end();
  return { seconds: soakSeconds, calm, failing: faulty, verified };
}

/** Sends requests at the pace of the compressed hour for some seconds. */
async function runPart(durationSeconds: number, pid: number, send: () => Promise<Answer>): Promise<Part> {
  const total = Math.round(requestsPerSecond * durationSeconds);
  const durations: [quarter: number, ms: number][] = [];
  const refused: Record<string, number> = {};
  const memory: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < total; number = next++) {
      const dueAt = startedAt + (number / requestsPerSecond) * 1000;
      if (dueAt > performance.now()) await pause(dueAt - performance.now());
      const requestStartedAt = performance.now();
      const { status, bytes } = await send();
      durations.push([Math.floor((number / total) * 4), performance.now() - requestStartedAt]);
      if ((number + 1) % Math.ceil(total / 4) === 0) memory.push(residentMb(pid));
      if (status !== 200) {
        const failure = `${status} ${codeIn(bytes)}`;
        refused[failure] = (refused[failure] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const tookSeconds = (performance.now() - startedAt) / 1000;
  while (memory.length < 4) memory.push(residentMb(pid));
  const quarters = [0, 1, 2, 3].map((index) =>
    percentiles(durations.flatMap(([quarter, ms]) => (quarter === index ? ms : []))),
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
function unmetRequirements({ calm, failing: faulty, verified }: SoakFigures): string[] {
  const [firstMs = 0, , , lastMs = 0] = calm.p50Ms;
  const [firstMb = 0, , , lastMb = 0] = calm.residentMb;
  // With faults, only a 5xx status with an error code is allowed.
  const wrongReplies = Object.keys(faulty.refused).filter((failure) => !/^5\d\d [A-Z_]+$/.test(failure));
  const { lost, twice, undelivered, reactionsLost, marksLost, missed, receivedTwice } = verified;
  const violations = { lost, twice, undelivered, reactionsLost, marksLost, missed, receivedTwice };
  return [
    ...Object.entries(calm.refused).map(([failure, times]) => `${times} × ${failure} without faults`),
    ...(calm.seconds > soakSeconds * maxDelayRatio
      ? [`it took ${Math.round(calm.seconds)} s instead of ${soakSeconds}`]
      : []),
    // Tolerates 50 % and 5 ms, the variance of a shared machine.
    ...(lastMs > firstMs * 1.5 + 5 ? [`the median grew from ${firstMs} to ${lastMs} ms`] : []),
    ...(lastMb > firstMb * maxMemoryRatio ? [`memory grew from ${firstMb} to ${lastMb} MB`] : []),
    ...wrongReplies.map((failure) => `${faulty.refused[failure]} × ${failure} with faults`),
    ...Object.entries(violations).flatMap(([violation, times]) => (times > 0 ? [`${times} ${violation}`] : [])),
  ];
}
