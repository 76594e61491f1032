import { maxReadWhole } from "../shared/store/users/presence.ts";
import { lookBackMs, overlapMs } from "../shared/store/users/presence-cache.ts";
import { day } from "./behaviour.ts";
import { assumedMs } from "./prices.ts";

/**
 * The reads that each process answering presence pings makes for itself: a process serves all of its requests from what it
 * has read once (shared/store/users/presence-cache.ts), so that the bill depends on how many there are.
 */

/** Assumed: how long Lambda keeps an idle process, and how long a process lives at most. */
const idleMinutes = 10;
const lifeHours = 1;
/** Changes in a read unit (docs/data-model.md). */
const changesInUnit = 40;

const pingsPerSecond = (people: number) => (people * day.presencePings) / (day.connectedHours * 3600);

/** The maximum number of concurrent pings within ten minutes, for Poisson arrivals; each needs a process. */
export function processesFor(people: number): number {
  const together = (pingsPerSecond(people) * assumedMs) / 1000;
  const once = 1 / (pingsPerSecond(people) * idleMinutes * 60);
  let exactly = Math.exp(-together);
  let more = 1 - exactly;
  let processes = 1;
  for (; more > once; processes++) {
    exactly *= together / processes;
    more -= exactly;
  }
  return processes;
}

/** Changes that one read returns: one for each process, as they are called in turn, and those in the overlap. */
export const changesPerRead = (people: number) =>
  processesFor(people) + Math.ceil((pingsPerSecond(people) * overlapMs) / 1000);

/** The read units of a month that are not counted with pings: reads far back, and the initial reads of new processes. */
export function processReadUnits(people: number): number {
  const hours = day.workingDays * day.connectedHours;
  const changes = (seconds: number) => (pingsPerSecond(people) * seconds) / changesInUnit;
  const backwards = people > maxReadWhole ? (3_600_000 / lookBackMs) * changes((2 * lookBackMs) / 1000) : 0;
  // Everybody's profile, and the changes of two minutes.
  const anew = people + (people > maxReadWhole ? changes(120) : 0);
  return processesFor(people) * hours * (backwards + anew / lifeHours);
}

/** The assumption in words, for the documents. */
export const processesInWords = (teams: readonly number[]) =>
  `A process that answers presence pings has read what changed before its last look and reads on from there. Pings come as they like,
once a minute from each, and keep a process ${assumedMs} ms; Lambda is taken to keep as many as answer at once at the fullest moment of ${idleMinutes} minutes
(${teams.map((people) => `${processesFor(people)} for ${people.toLocaleString("en-US")}`).join(", ")} people) and to call them in turn, so that each reads every change for itself, once when it is new and twice more
by looks that read far back; each begins anew every hour and reads everybody's profile. Profiles that change meanwhile are not counted.`;
