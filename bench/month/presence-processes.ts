import { maxReadWhole } from "../../shared/store/users/presence.ts";
import { deepReadMs, overlapMs } from "../../shared/store/users/presence-cache.ts";
import { day } from "./behaviour.ts";
import { assumedMs } from "./prices.ts";

/**
 * The reads that each process answering presence pings makes for itself: a process serves all of its requests from what it
 * has read once (shared/store/users/presence-cache.ts), so that the bill depends on the number of processes.
 */

/** The assumed time for which Lambda keeps an idle process. */
const idleProcessMinutes = 10;
/** The assumed maximum lifetime of a process. */
const processLifetimeHours = 1;
const hourMs = 3_600_000;
const initialChangesSeconds = 120;
/** How many changes of presence one read unit reads (docs/data-model.md). */
const changesPerReadUnit = 40;

const pingsPerSecond = (people: number) => (people * day.presencePings) / (day.connectedHours * 3600);

/** The maximum number of concurrent pings within ten minutes, for Poisson arrivals; each needs a process. */
export function processesFor(people: number): number {
  const concurrent = (pingsPerSecond(people) * assumedMs) / 1000;
  // An event of this probability happens to one of the pings of `idleProcessMinutes`, on average.
  const threshold = 1 / (pingsPerSecond(people) * idleProcessMinutes * 60);
  // The probabilities of exactly, and of at least, `processes` concurrent pings.
  let probability = Math.exp(-concurrent);
  let tail = 1 - probability;
  let processes = 1;
  for (; tail > threshold; processes++) {
    probability *= concurrent / processes;
    tail -= probability;
  }
  return processes;
}

/**
 * The changes that a process reads with one ping. Processes are called in turn, so that one change was made for each of them
 * since the last read of this one; reads also overlap.
 */
export const changesPerRead = (people: number) =>
  processesFor(people) + Math.ceil((pingsPerSecond(people) * overlapMs) / 1000);

/**
 * A month's read units that are not counted with the pings: reads that look further back, and the initial reads of new
 * processes.
 */
export function processReadUnits(people: number): number {
  const hours = day.workingDays * day.connectedHours;
  const readUnitsOfChanges = (seconds: number) => (pingsPerSecond(people) * seconds) / changesPerReadUnit;
  const lateWriteReads =
    people > maxReadWhole ? (hourMs / deepReadMs) * readUnitsOfChanges((2 * deepReadMs) / 1000) : 0;
  // A new process reads everybody's profile, and the changes of the last two minutes.
  const initialReads = people + (people > maxReadWhole ? readUnitsOfChanges(initialChangesSeconds) : 0);
  return processesFor(people) * hours * (lateWriteReads + initialReads / processLifetimeHours);
}

/** The assumptions in words, for docs/cost.md. */
export const processesInWords = (teams: readonly number[]) =>
  `A Lambda process that answers presence pings caches the presence that it has read, and afterwards reads only newer changes. We assume that pings
arrive at random, once a minute from each person, and that each occupies a process for ${assumedMs} ms; that Lambda keeps as many processes as the
busiest moment of ${idleProcessMinutes} minutes needs (${teams.map((people) => `${processesFor(people)} for ${people.toLocaleString("en-US")}`).join(", ")} people) and calls them in turn. Each process then reads every change
itself: once when it is new, and twice more in reads that look further back for late writes. Each process is replaced every hour, and its successor
reads all profiles. Changes of profiles in the meantime are not counted.`;
