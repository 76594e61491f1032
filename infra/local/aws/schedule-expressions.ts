import { AwsError } from "./protocol.ts";

const minute = 60_000;
const units: Record<string, number> = {
  minute,
  minutes: minute,
  hour: 60 * minute,
  hours: 60 * minute,
  day: 1440 * minute,
  days: 1440 * minute,
};
const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const days = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
/** A cron that matches nothing for so long matches nothing at all ("31 2 ?"). */
const cronHorizonDays = 366 * 8;

export interface Timing {
  expression: string;
  /** When the schedule was made; a rate counts from its start date or else from here. */
  createdAt: number;
  startAt?: number | undefined;
  endAt?: number | undefined;
}

/** When a schedule fires next, after `after` (UNIX milliseconds, UTC); undefined when never again. Throws ValidationException. */
export function nextTime({ expression, createdAt, startAt, endAt }: Timing, after: number): number | undefined {
  const [, kind, inner = ""] = /^(at|rate|cron)\((.*)\)$/.exec(expression) ?? [];
  let next: number | undefined;
  if (kind === "at") {
    // Only one that has not fired yet asks; a time that has passed means now.
    next = readAt(inner);
    if (next === undefined) throw invalid(expression);
    return next;
  }
  if (kind === "rate") next = nextOfRate(inner, startAt ?? createdAt, after, expression);
  else if (kind === "cron") next = nextOfCron(inner, Math.max(after, (startAt ?? 0) - 1), expression);
  else throw invalid(expression);
  return next !== undefined && next <= (endAt ?? Number.POSITIVE_INFINITY) ? next : undefined;
}

/** Whether a schedule fires once only. */
export const isOneTime = (expression: string): boolean => expression.startsWith("at(");

const invalid = (expression: string) =>
  new AwsError("ValidationException", `Invalid Schedule Expression ${expression}.`);

function readAt(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) return undefined;
  const time = Date.parse(`${text}Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== text ? undefined : time;
}

function nextOfRate(text: string, from: number, after: number, expression: string): number {
  const [, value = "", unit = ""] = /^(\d+) (\w+)$/.exec(text) ?? [];
  const step = Number(value) * (units[unit] ?? 0);
  if (!(step > 0)) throw invalid(expression);
  return from > after ? from : from + (Math.floor((after - from) / step) + 1) * step;
}

/** "minutes hours day-of-month month day-of-week year": numbers, names, lists, ranges, steps, `*` and `?`. */
function nextOfCron(text: string, after: number, expression: string): number | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 6) throw invalid(expression);
  const field = (index: number, least: number, most: number, names: string[] = [], base = 0) =>
    readField(parts[index] as string, least, most, names, base) ?? fail(expression);
  const [minutes, hours, dates] = [field(0, 0, 59), field(1, 0, 23), field(2, 1, 31)];
  const [inMonths, weekdays, years] = [field(3, 1, 12, months, 1), field(4, 1, 7, days, 1), field(5, 1970, 2199)];

  const day = new Date(after);
  day.setUTCHours(0, 0, 0, 0);
  for (let count = 0; count < cronHorizonDays; count++, day.setUTCDate(day.getUTCDate() + 1)) {
    const fits =
      years.has(day.getUTCFullYear()) &&
      inMonths.has(day.getUTCMonth() + 1) &&
      dates.has(day.getUTCDate()) &&
      weekdays.has(day.getUTCDay() + 1);
    if (!fits) continue;
    for (const hour of hours) {
      for (const atMinute of minutes) {
        const time = day.getTime() + (hour * 60 + atMinute) * minute;
        if (time > after) return time;
      }
    }
  }
  return undefined;
}

function fail(expression: string): never {
  throw invalid(expression);
}

function readField(text: string, least: number, most: number, names: string[], base: number): Set<number> | undefined {
  const numberOf = (word: string) => {
    const named = names.indexOf(word.toUpperCase());
    return named >= 0 ? named + base : /^\d+$/.test(word) ? Number(word) : Number.NaN;
  };
  const values: number[] = [];
  for (const item of text.split(",")) {
    const [range = "", step = "1"] = item.split("/");
    const [first = "", last] = range.split("-");
    const any = range === "*" || range === "?";
    const from = any ? least : numberOf(first);
    const to = any || (last === undefined && item.includes("/")) ? most : numberOf(last ?? first);
    const by = Number(step);
    if (!(from >= least && to <= most && from <= to && Number.isInteger(by) && by > 0)) return undefined;
    for (let value = from; value <= to; value += by) values.push(value);
  }
  return new Set(values.sort((a, b) => a - b));
}
