import { day } from "../month/behaviour.ts";
import { type Section, table } from "../section.ts";
import { runInChildProcess } from "./child-process.ts";

interface LatencyFigures {
  waiting: string;
  listeners: number;
  /** How many of the listeners are subscribed to the channel. */
  recipients: number;
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
  const of = (waiting: string) => ways.find((one) => one.waiting === waiting && one.recipients === day.recipients + 1);
  const [held, wakeUp] = [of("held"), of("wake-up-queue")];
  if (!held || !wakeUp) return undefined;
  return `p50 ${held.p50} ms and p99 ${held.p99} ms with held polls, ${wakeUp.p50} and ${wakeUp.p99} ms at wake-up queues, with 50 connected clients on one machine, of which ${held.recipients} receive the message`;
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
the sender's request to the end of each recipient's reply. In a typical team ${day.recipients} other users receive a message ([cost.md](cost.md)); the rows with
50 recipients are the worst case, in which one machine answers all clients at the same moment. Clients and host share the machine. Each
recipient received every message exactly once (${ways.map(({ received, expected }) => `${received} of ${expected}`).join(", ")}).

${table(
  ["clients wait", "recipients", "p50", "p90", "p99", "longest", "host's CPU per delivery"],
  ways.map(({ waiting, recipients, p50, p90, p99, longest, hostMs }) => [
    waiting === "wake-up-queue" ? "at a wake-up queue, with up to four redirects" : "at the function",
    ...[recipients, p50, p90, p99, longest],
    `${hostMs} ms`,
  ]),
)}

On one machine a wake-up queue is slower than a held poll, because the wake-up passes through the emulated SQS and the client makes five
requests instead of one. On AWS these do not share a processor.`,
};
