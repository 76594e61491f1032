import { signal } from "@preact/signals";

/** Whether to use a 24-hour clock; null: the default of the browser's locale. */
export const twentyFourHours = signal<boolean | null>(null);

const options = (parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormatOptions =>
  twentyFourHours.value === null ? parts : { ...parts, hour12: !twentyFourHours.value };

export const timeOfDay = (seconds: number) =>
  new Date(seconds * 1000).toLocaleTimeString(undefined, options({ hour: "numeric", minute: "2-digit" }));

export const fullTime = (seconds: number) =>
  new Date(seconds * 1000).toLocaleString(
    undefined,
    options({
      dateStyle: undefined,
      weekday: "long",
      year: "numeric",
      month: "long",
      day: "numeric",
      hour: "numeric",
      minute: "2-digit",
    }),
  );

export const dayKey = (seconds: number) => new Date(seconds * 1000).toDateString();

export function dayName(seconds: number, now = Date.now()): string {
  const day = new Date(seconds * 1000);
  const today = new Date(now);
  if (day.toDateString() === today.toDateString()) return "Today";
  const yesterday = new Date(now - 86_400_000);
  if (day.toDateString() === yesterday.toDateString()) return "Yesterday";
  const year = day.getFullYear() === today.getFullYear() ? undefined : "numeric";
  return day.toLocaleDateString(undefined, { weekday: "long", month: "long", day: "numeric", year });
}

/** "Today 14:05", "Monday, May 4 14:05". */
export const dayAndTime = (seconds: number) => `${dayName(seconds)}, ${timeOfDay(seconds)}`;
