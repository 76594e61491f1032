import { type Section, table } from "./section.ts";

/**
 * Skein beside other chat servers: measured by a benchmark outside of this repository, which runs each cell on one server after the
 * other on the same machine, so that only ratios say something.
 */

const measuredOn = "2026-11-29";
const servers = ["Synapse 1.163 on SQLite", "ejabberd 23.01 on SQLite", "Skein"] as const;

/** By what is measured: the figures of the servers, in their order. */
const rows: readonly (readonly [what: string, ...figures: [number, number, number]])[] = [
  ["messages/s at 16 connections, room of 1", 66, 489, 363],
  ["the same, room of 100", 28, 105, 451],
  ["the same, room of 1,000", 5.2, 22, 407],
  ["p99 in ms, room of 100", 821, 397, 92],
  ["CPU ms a message with all that follows, room of 1", 15.6, 1.3, 2.8],
  ["the same, room of 100", 33.6, 7.8, 6.5],
  ["the same, room of 1,000", 176, 45, 2.8],
  ["fetches of the last 100 messages/s, 1 connection", 53, 62, 161],
  ["the same, 16 connections", 66, 94, 257],
  ["CPU ms of a fetch, 1 connection", 18.4, 17.1, 6.7],
  ["seconds until a start is ready", 1.8, 1.4, 1.7],
  ["KB of disk a message, room of 1", 3.3, 0.9, 0.9],
  ["the same, room of 1,000", 694, 0.95, 1.5],
  ["seconds for 1,000 people who are created, sign in and join", 79, 17, 144],
];

/** The figures of the servers side by side. */
export const peers: Section = {
  name: "peers",
  document: "docs/speed.md",
  title: "Beside other chat servers",
  text: () =>
    [
      `Measured on ${measuredOn} on two cores that the driver shares, with bodies of 110 bytes, each server with its defaults, without TLS and rate`,
      "limits. A message is done when the server acknowledges it as stored. Compare the columns: the figures themselves change with the machine.",
      "",
      table(["", ...servers], rows),
      "",
      "Skein writes a message once, whatever the size of the room. The 6.5 ms at a room of 100 are the mean of two rounds, of 10.9 and 2.4: during",
      "the first, 900 e-mails were sent to people who had been added to a channel two minutes before and had not read so. The other servers send",
      "none here.",
      "",
      "It loses where 1,000 people are created: two hashes of each password, at the creation and at the sign-in, took 100 of the 144 s. They were",
      "made by scrypt then; Argon2id, which has replaced it, takes a third of that. A start has lost a quarter of its work since, too: it loads 750",
      "modules in place of 1,018.",
    ].join("\n"),
};
