/** Dates as people write them in searches: a year, month or day of the browser's time zone. */

const pattern = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;

/** The first moment of a year, month or day, and the first one after it; undefined if the calendar has none like this. */
export function intervalOf(text: string): [start: Date, end: Date] | undefined {
  const [, year, month, day] = pattern.exec(text) ?? [];
  if (year === undefined) return undefined;
  const start = new Date(2000, Number(month ?? 1) - 1, Number(day ?? 1));
  start.setFullYear(Number(year), Number(month ?? 1) - 1, Number(day ?? 1));
  if (start.getMonth() + 1 !== Number(month ?? 1) || start.getDate() !== Number(day ?? 1)) return undefined;
  const end = new Date(start);
  if (day !== undefined) end.setDate(end.getDate() + 1);
  else if (month !== undefined) end.setMonth(end.getMonth() + 1);
  else end.setFullYear(end.getFullYear() + 1);
  return [start, end];
}

/** As the API takes it: an interval, because the server does not know the time zone. Other texts stay. */
export const inThisZone = (text: string): string =>
  intervalOf(text)
    ?.map((date) => date.toISOString())
    .join("/") ?? text;

/** The day that was so many days ago, such as "2026-05-01". */
export function dayAgo(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() - days);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}
