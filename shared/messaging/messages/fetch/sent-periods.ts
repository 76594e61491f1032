import { ProcessCache } from "../../../base/process-cache.ts";
import { readHead } from "../../../store/log/log.ts";
import { findMessages } from "../../../store/messages/messages.ts";

/** When messages were sent: the periods that narrows name, and the IDs that messages of a period have. */

/** UNIX seconds: from the start, inclusive, to the end, exclusive. Without one of them it is not limited. */
export interface SentPeriod {
  start?: number;
  end?: number;
}

/** The IDs that the messages of a period have; others may be among them. */
export interface IdRange {
  from: number;
  /** Inclusive. */
  to: number;
}

const pattern =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?)?)?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?$/;

/**
 * The period that a text names, by ISO 8601: a year, month, day, minute or second, such as `2026-05-01` or `2026-05-01T14:30+02:00`, or
 * an interval, which is two of them with a slash between: from the start of the first to the start of the second. Without an offset the
 * time is UTC. A number is UNIX seconds. Undefined if there is no such time.
 */
export function parsePeriod(text: string | number): Required<SentPeriod> | undefined {
  if (typeof text === "number") return { start: text, end: text + 1 };
  const [first = "", second, ...others] = text.split("/");
  if (second === undefined) return parseMoment(first.trim());
  const [start, end] = [parseMoment(first.trim()), parseMoment(second.trim())];
  return start && end && others.length === 0 ? { start: start.start, end: end.start } : undefined;
}

function parseMoment(text: string): Required<SentPeriod> | undefined {
  const [matched, ...groups] = pattern.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const parts = groups.slice(0, 6).filter((part) => part !== undefined);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const [, , , , , , , sign, offsetHours = "0", offsetMinutes = "0"] = groups;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const offset = (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60;
  const utc = (y: number, m = 0, d = 1, h = 0, min = 0, s = 0) => {
    const date = new Date(0);
    // `Date.UTC` takes the years up to 99 for those of the last century.
    date.setUTCFullYear(y, m, d);
    date.setUTCHours(h, min, s);
    return date;
  };
  const date = utc(year, month - 1, day, hour, minute, second);
  const isReal =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  if (!isReal) return undefined;
  const next = [
    () => utc(year + 1),
    () => utc(year, month),
    () => utc(year, month - 1, day + 1),
    undefined,
    () => utc(year, month - 1, day, hour, minute + 1),
    () => utc(year, month - 1, day, hour, minute, second + 1),
  ][parts.length - 1];
  const seconds = (at: Date) => at.getTime() / 1000 - offset;
  return next && { start: seconds(date), end: seconds(next()) };
}

/** How many messages are read at once to see when they were sent, and how often. */
const probes = 8;
const maxRounds = 12;
/** Between so few messages, each may as well be compared. */
const closeEnough = 64;
/** The clocks of functions differ, and a message that was sent later may have the lower ID. */
const marginSeconds = 60;

/** What never changes: messages up to `low` were sent before a time, and those from `high` on were not. */
interface Bounds {
  low: number;
  high: number;
}
const known = new ProcessCache<number, Bounds>({ minRetained: 50 });

/** The IDs of a period's messages. Reads 8 messages up to 12 times, fewer the closer it is to what this process has looked for. */
export async function idsSentIn({ start, end }: SentPeriod): Promise<IdRange> {
  const [first, last] = await Promise.all([
    start === undefined ? undefined : boundsOf(start),
    end === undefined ? undefined : boundsOf(end),
  ]);
  return { from: first ? first.low + 1 : 0, to: last ? last.high - 1 : Number.MAX_SAFE_INTEGER };
}

/** Searches for a time among the messages, whose IDs grow with it. Deleted ones say nothing, so that the bounds may stay wider. */
async function boundsOf(seconds: number): Promise<Bounds> {
  const bounds = { ...(known.get(seconds) ?? { low: 0, high: Number.MAX_SAFE_INTEGER }) };
  const { message: newest } = await readHead({ consistent: false });
  for (let round = 0; round < maxRounds; round++) {
    const { low } = bounds;
    const high = Math.min(bounds.high, newest + 1);
    if (high - low <= closeEnough) break;
    const step = (high - low) / (probes + 1);
    const ids = Array.from({ length: probes }, (_, index) => low + Math.round((index + 1) * step));
    const found = (await findMessages(ids)).filter((message) => message !== undefined);
    for (const { id, sentAt } of found) if (sentAt < seconds - marginSeconds) bounds.low = Math.max(bounds.low, id);
    const late = found.find(({ id, sentAt }) => id > bounds.low && sentAt >= seconds + marginSeconds);
    if (late) bounds.high = Math.min(bounds.high, late.id);
    if (bounds.low === low && bounds.high >= high) break;
  }
  known.set(seconds, bounds);
  return bounds;
}
