import { day } from "./behaviour.ts";
import { runInProcess } from "./in-process.ts";
import { type Section, table } from "./section.ts";

interface LatencyFigures {
  waiting: string;
  listeners: number;
  /** How many of the listeners are subscribed to the channel. */
  hearers: number;
  messages: number;
  received: number;
  expected: number;
  p50: number;
  p90: number;
  p99: number;
  longest: number;
  hostMs: number;
}

/** The latency of an ordinary message, for the README; undefined if it was not measured. */
export function latencyInWords(ways: readonly LatencyFigures[]): string | undefined {
  const of = (waiting: string) => ways.find((one) => one.waiting === waiting && one.hearers === day.hearers + 1);
  const [held, wakeUp] = [of("held"), of("wake-up-queue")];
  if (!held || !wakeUp) return undefined;
  return `${held.p50} ms in the median and ${held.p99} ms at most for 99 of 100 where functions wait, ${wakeUp.p50} and ${wakeUp.p99} ms at wake-up queues, with 50 connected clients on one machine, of which ${held.hearers} hear it`;
}

/** The latency from sending a message to its arrival at waiting clients, for each way of waiting. */
export const latency: Section<LatencyFigures[]> = {
  name: "latency",
  document: "docs/speed.md",
  title: "From sending to receiving",
  measure: async () => {
    const ways: LatencyFigures[] = [];
    for (const hearers of [day.hearers + 1, 50])
      for (const waiting of ["held", "wake-up-queue"])
        ways.push(await runInProcess("listen-process.ts", waiting, String(hearers)));
    return ways;
  },
  text: (
    ways,
  ) => `50 connected clients wait; one sends a message to a channel twice a second: milliseconds from the beginning of the sender's
request to the end of each receiver's reply. In an ordinary team ${day.hearers} others hear it ([cost.md](cost.md)); the other rows are the
message to everybody, when the one machine answers 50 clients at the same moment. Clients and host share it. Every message came
to each of its hearers once (${ways.map(({ received, expected }) => `${received} of ${expected}`).join(", ")}).

${table(
  ["clients wait", "hear it", "p50", "p90", "p99", "longest", "host's CPU for each reception"],
  ways.map(({ waiting, hearers, p50, p90, p99, longest, hostMs }) => [
    waiting === "wake-up-queue" ? "at a wake-up queue, over four redirects at most" : "at the function",
    ...[hearers, p50, p90, p99, longest],
    `${hostMs} ms`,
  ]),
)}

On one machine a wake-up queue is dearer than a held poll: the wake-up passes the emulated SQS, and the client makes five requests where the
other makes one. On AWS none of this shares a processor.`,
};
