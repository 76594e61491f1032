import { day } from "../month/behaviour.ts";
import { type Section, table } from "../section.ts";
import { runInChildProcess } from "./child-process.ts";

/** The latencies of one waiting strategy, in milliseconds. */
export interface LatencyFigures {
  waiting: string;
  /** The number of connected clients. */
  listeners: number;
  /** How many of the listeners are subscribed to the channel. */
  recipients: number;
  messages: number;
  /** How many deliveries were received. */
  received: number;
  /** How many deliveries were expected. */
  expected: number;
  p50: number;
  p90: number;
  p99: number;
  longest: number;
  /** The host's CPU time for one delivery. */
  hostMs: number;
}

/** The latency from sending a message to its arrival at waiting clients, for each way of waiting. */
export const latency: Section<LatencyFigures[]> = {
  name: "latency",
  document: "docs/speed.md",
  title: "From sending to receiving",
  measure: async () => {
    const figures: LatencyFigures[] = [];
    for (const recipients of [day.recipients + 1, 50])
      for (const waiting of ["connection", "held", "wake-up-queue"])
        figures.push(await runInChildProcess("listen-process.ts", waiting, String(recipients)));
    return figures;
  },
  text: (
    figures,
  ) => `One of 50 clients, which share one machine with the host, sends a message to a channel twice a second. Milliseconds from the start of the
sender's request to the end of each recipient's reply or message, for the [ways of waiting](operating.md#how-clients-wait-for-events).
The key is checked again before each message to a WebSocket; a held poll checks it when it begins.

${table(
  ["how clients wait", "recipients", "received", "p50", "p90", "p99", "longest", "host's CPU ms a delivery"],
  figures.map(({ waiting, recipients, received, expected, p50, p90, p99, longest, hostMs }) => [
    waysInWords[waiting as keyof typeof waysInWords],
    ...[recipients, `${received}/${expected}`, p50, p90, p99, longest, hostMs],
  ]),
)}`,
};

const waysInWords = {
  connection: "on a WebSocket",
  held: "`held`: in the function",
  "wake-up-queue": "`wake-up-queue`: with up to four redirects",
};
