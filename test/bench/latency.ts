import { inProcess } from "./in-process.ts";
import { type Section, table } from "./section.ts";

interface Heard {
  waiting: string;
  listeners: number;
  messages: number;
  received: number;
  expected: number;
  p50: number;
  p90: number;
  p99: number;
  longest: number;
  hostMs: number;
}

/** From a message's sending to its arrival at clients that wait for it, each way of waiting. */
export const latency: Section<Heard[]> = {
  name: "latency",
  document: "docs/speed.md",
  title: "From sending to receiving",
  measure: async () => [await inProcess("listen-process.ts", "held"), await inProcess("listen-process.ts", "bell")],
  text: (
    ways,
  ) => `50 connected clients wait; one sends a message twice a second, and all 50 get it: milliseconds from the beginning of
the sender's request to the end of each receiver's reply. Clients and host share the machine. Every message came to everyone once
(${ways.map(({ received, expected, waiting }) => `${waiting}: ${received} of ${expected}`).join(", ")}).

${table(
  ["clients wait", "p50", "p90", "p99", "longest", "host's CPU for each reception"],
  ways.map(({ waiting, p50, p90, p99, longest, hostMs }) => [
    waiting === "bell" ? "at bells, over four redirects at most" : "at the function",
    ...[p50, p90, p99, longest],
    `${hostMs} ms`,
  ]),
)}

On one machine a bell is dearer than a held poll: it rings through the emulated SQS, and the client makes five requests where the
other makes one. On AWS none of this shares a processor.`,
};
