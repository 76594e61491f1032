import { computed, signal } from "@preact/signals";
import { locale, t } from "../languages/language.ts";

/** Whether to use a 24-hour clock; null: the default of the language. */
export const twentyFourHours = signal<boolean | null>(null);

/** Creates a formatter once per language and clock setting, because creating one takes longer than using it a hundred times. */
const formatter = (parts: Intl.DateTimeFormatOptions) => computed(() => newFormat(parts));

function newFormat(parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const clockOptions = twentyFourHours.value === null ? {} : { hour12: !twentyFourHours.value };
  return new Intl.DateTimeFormat(locale.value, { ...parts, ...clockOptions });
}

const clock = { hour: "numeric", minute: "2-digit" } as const;
const day = { weekday: "long", month: "long", day: "numeric" } as const;
const clockFormat = formatter(clock);
const fullFormat = formatter({ ...day, year: "numeric", ...clock });
const zoneFormat = formatter({ ...day, year: "numeric", ...clock, timeZoneName: "long" });
const shortDateFormat = formatter({ year: "numeric", month: "numeric", day: "numeric" });
const dayOfYearFormat = formatter({ month: "short", day: "numeric" });
const dayFormat = formatter(day);
const dayAndYearFormat = formatter({ ...day, year: "numeric" });

/** How many hours the person's clock has: 12 or 24. */
export const hourCycle = computed(() => (clockFormat.value.resolvedOptions().hour12 ? 12 : 24));
/** What a clock of 12 hours calls the halves of the day, such as "AM" and "PM". */
export const dayPeriods = computed(() =>
  [0, 12].map((hour) => {
    const parts = clockFormat.value.formatToParts(new Date(2026, 0, 1, hour));
    return parts.find(({ type }) => type === "dayPeriod")?.value ?? "";
  }),
);

const dayMs = 24 * 60 * 60 * 1000;

/** The time in words; empty if no calendar has it. */
const format = ({ value }: ReturnType<typeof formatter>, seconds: number) => {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "" : value.format(date);
};

/** Like all functions below, takes UNIX seconds. */
export const timeOfDay = (seconds: number) => format(clockFormat, seconds);

/** The time of day now in a time zone. Throws for a zone that the browser does not know. */
export const timeIn = (timeZone: string) => newFormat({ ...clock, timeZone }).format();

/** For example "11/28/2026". */
export const shortDate = (seconds: number) => format(shortDateFormat, seconds);

export const fullTime = (seconds: number) => format(fullFormat, seconds);

/** The full time with the name of the reader's time zone, such as "Central European Summer Time". */
export const timeWithZone = (seconds: number) => format(zoneFormat, seconds);

/** Equal for two times on the same day of the reader's time zone. */
export const dayKey = (seconds: number) => new Date(seconds * 1000).toDateString();

export function dayName(seconds: number, nowMs = Date.now()): string {
  const date = new Date(seconds * 1000);
  const today = new Date(nowMs);
  if (date.toDateString() === today.toDateString()) return t("Today");
  const yesterday = new Date(nowMs - dayMs);
  if (date.toDateString() === yesterday.toDateString()) return t("Yesterday");
  return format(date.getFullYear() === today.getFullYear() ? dayFormat : dayAndYearFormat, seconds);
}

/** For example "Today, 14:05" or "Monday, May 4, 14:05". */
export const dayAndTime = (seconds: number) => t("{day}, {time}", { day: dayName(seconds), time: timeOfDay(seconds) });

/** The time of day of what was today, else the date, without the year if it is this one: as short as a list needs it. */
export function timeOrDate(seconds: number): string {
  if (dayKey(seconds) === dayKey(Date.now() / 1000)) return timeOfDay(seconds);
  const isThisYear = new Date(seconds * 1000).getFullYear() === new Date().getFullYear();
  return isThisYear ? format(dayOfYearFormat, seconds) : shortDate(seconds);
}
