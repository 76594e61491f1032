import { computed, signal } from "@preact/signals";

/** Whether to use a 24-hour clock; null: the default of the browser's locale. */
export const twentyFourHours = signal<boolean | null>(null);

/** Formatters are kept, because creating one takes longer than using it a hundred times. */
const formatter = (parts: Intl.DateTimeFormatOptions) =>
  computed(() => {
    const hour12 = twentyFourHours.value === null ? {} : { hour12: !twentyFourHours.value };
    return new Intl.DateTimeFormat(undefined, { ...parts, ...hour12 });
  });

const clock = { hour: "numeric", minute: "2-digit" } as const;
const day = { weekday: "long", month: "long", day: "numeric" } as const;
const clockFormat = formatter(clock);
const fullFormat = formatter({ ...day, year: "numeric", ...clock });
const dayFormat = formatter(day);
const dayAndYearFormat = formatter({ ...day, year: "numeric" });

export const timeOfDay = (seconds: number) => clockFormat.value.format(seconds * 1000);

export const fullTime = (seconds: number) => fullFormat.value.format(seconds * 1000);

export const dayKey = (seconds: number) => new Date(seconds * 1000).toDateString();

export function dayName(seconds: number, now = Date.now()): string {
  const date = new Date(seconds * 1000);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return "Today";
  const yesterday = new Date(now - 86_400_000);
  if (date.toDateString() === yesterday.toDateString()) return "Yesterday";
  return (date.getFullYear() === today.getFullYear() ? dayFormat : dayAndYearFormat).value.format(date);
}

/** "Today 14:05", "Monday, May 4 14:05". */
export const dayAndTime = (seconds: number) => `${dayName(seconds)}, ${timeOfDay(seconds)}`;
