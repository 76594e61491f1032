import { type Section, table } from "./section.ts";

/**
 * Skein beside other chat servers: measured by a benchmark outside of this repository, which runs each cell on one server after the
 * other on the same machine, so that only ratios say something.
 */

const measuredOn = "2026-11-30";
const servers = ["Synapse 1.163 on SQLite", "ejabberd 23.01 on SQLite", "Skein"] as const;

/** By what is measured: the figures of the servers, in their order. */
const rows: readonly (readonly [what: string, ...figures: [number, number, number]])[] = [
  ["messages/s at 16 connections, room of 1", 56, 382, 291],
  ["the same, room of 100", 28, 132, 386],
  ["the same, room of 1,000", 5.1, 18, 277],
  ["p99 in ms, room of 100", 936, 180, 102],
  ["CPU ms a message including follow-up work, room of 1", 18, 1.7, 4.2],
  ["the same, room of 100", 34, 7.9, 3.1],
  ["the same, room of 1,000", 175, 55, 4.1],
  ["fetches of the last 100 messages/s, 1 connection", 40, 51, 152],
  ["the same, 16 connections", 59, 78, 188],
  ["CPU ms of a fetch, 1 connection", 22.9, 19.6, 6.7],
  ["MB of memory when idle, shared memory by its share", 115, 63, 130],
  ["seconds from the start until ready", 2.1, 1.5, 1],
  ["KB of disk a message, room of 1", 2.8, 0.9, 1.4],
  ["the same, room of 100", 72, 0.9, 4.5],
  ["the same, room of 1,000", 693, 1, 1.3],
  ["seconds for 1,000 people to be created, sign in and join", 88, 13, 54],
];

/** The figures of the servers side by side. */
export const peers: Section = {
  name: "peers",
  document: "docs/speed.md",
  title: "Compared with other chat servers",
  text: () =>
    [
      `Measured on ${measuredOn} on two cores, which the driver also uses, with bodies of 110 bytes. Each server has its defaults, without TLS or rate`,
      "limits. A message is done when the server acknowledges it as stored. Compare the columns: the figures themselves depend on the machine.",
      "",
      table(["", ...servers], rows),
      "",
      "Skein writes a message once, whatever the size of the room. Its 4.5 KB in a room of 100 are the mean of two rounds, 8.2 and 0.9: during",
      "the first, 900 emails were sent to people who had been added to a channel two minutes before and had not read the notice. The other servers",
      "send none here.",
      "",
      "Skein loses to ejabberd in a room of one, in memory, and when creating 1,000 people: each person's password is hashed twice by Argon2id, at",
      "creation and at sign-in, and each hash takes 30 ms of a processor.",
    ].join("\n"),
};
