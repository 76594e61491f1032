import { day } from "../month/behaviour.ts";
import { barChart, type Section, table } from "../section.ts";
import { runInChildProcess } from "./child-process.ts";

/** The latencies of one waiting strategy, in milliseconds. */
interface LatencyFigures {
  waiting: string;
  /** The number of connected clients. */
  listeners: number;
  /** How many of the listeners are subscribed to the channel. */
  recipients: number;
  messages: number;
  /** How many deliveries were received, and how many were expected. */
  received: number;
  expected: number;
  p50: number;
  p90: number;
  p99: number;
  longest: number;
  /** The host's CPU time for one delivery. */
  hostMs: number;
}

/** The latency of an ordinary message, for the README; undefined if it was not measured. */
export function latencyInWords(ways: readonly LatencyFigures[]): string | undefined {
  const of = (waiting: string) => ways.find((one) => one.waiting === waiting && one.recipients === day.recipients + 1);
  const [held, wakeUp] = [of("held"), of("wake-up-queue")];
  if (!held || !wakeUp) return undefined;
  return `p50 ${held.p50} ms and p99 ${held.p99} ms where a process holds the poll; ${wakeUp.p50} and ${wakeUp.p99} ms where clients wait at SQS queues, as on AWS by default; on one machine with 50 connected clients, of which ${held.recipients} receive the message`;
}

/** The latency from sending a message to its arrival at waiting clients, for each way of waiting. */
export const latency: Section<LatencyFigures[]> = {
  name: "latency",
  document: "docs/speed.md",
  title: "From sending to receiving",
  measure: async () => {
    const ways: LatencyFigures[] = [];
    for (const recipients of [day.recipients + 1, 50])
      for (const waiting of ["held", "wake-up-queue"])
        ways.push(await runInChildProcess("listen-process.ts", waiting, String(recipients)));
    return ways;
  },
  text: (
    ways,
  ) => `50 clients are connected, and one of them sends a message to a channel twice a second. Latency is measured in milliseconds from the start of
the sender's request to the end of each recipient's reply, for two [ways of waiting](operating.md#how-clients-wait-for-events). Clients and host
share one machine.

${chartOf(ways)}

In a typical team ${day.recipients} other users and the sender receive a message ([cost.md](cost.md#what-the-bill-assumes)). The rows with 50 recipients are the worst
case, in which one machine answers all clients at the same moment. Each recipient received every message exactly once
(${ways.map(({ received, expected }) => `${received} of ${expected}`).join(", ")}).

${table(
  ["clients wait", "recipients", "p50", "p90", "p99", "longest", "host's CPU per delivery"],
  ways.map(({ waiting, recipients, p50, p90, p99, longest, hostMs }) => [
    waiting === "wake-up-queue" ? "`wake-up-queue`: with up to four redirects" : "`held`: in the function",
    ...[recipients, p50, p90, p99, longest],
    `${hostMs} ms`,
  ]),
)}

On one machine a wake-up queue is slower than a held poll, because the wake-up passes through the emulated SQS and the client makes five
requests instead of one. On AWS these do not share a processor.`,
};

/** The latency of an ordinary message, for each way of waiting. */
function chartOf(ways: readonly LatencyFigures[]): string {
  const recipients = day.recipients + 1;
  const bars = ways
    .filter((way) => way.recipients === recipients)
    .map(({ waiting, p50, p99 }): [string, number][] => [
      [`${waiting}: p50`, p50],
      [`${waiting}: p99`, p99],
    ]);
  return barChart(`Latency of a message with ${recipients} recipients`, "milliseconds", bars.flat());
}
