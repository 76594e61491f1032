/** An invitation (RFC 5545) as Markdown: what, when, where and by whom. */

const maxEvents = 5;
const maxValueCharacters = 500;

export function calendarText(calendar: string): string {
  // A line that begins with a blank continues the one before.
  const lines = calendar.replaceAll(/\r?\n[ \t]/g, "").split(/\r?\n/);
  const method = textOf(lines, "METHOD").toUpperCase();
  return eventsIn(lines)
    .slice(0, maxEvents)
    .map((event) => eventText(event, method))
    .join("\n\n");
}

/** The lines of each event, without those of the alarms in it. */
function eventsIn(lines: readonly string[]): string[][] {
  const events: string[][] = [];
  const open: string[] = [];
  for (const line of lines) {
    const [, kind, name = ""] = /^(BEGIN|END):(\w+)\s*$/i.exec(line) ?? [];
    if (kind?.toUpperCase() === "BEGIN") {
      open.push(name.toUpperCase());
      if (open.at(-1) === "VEVENT") events.push([]);
    } else if (kind) open.pop();
    else if (open.at(-1) === "VEVENT") events.at(-1)?.push(line);
  }
  return events;
}

function eventText(event: readonly string[], method: string): string {
  const isCancelled = method === "CANCEL" || textOf(event, "STATUS").toUpperCase() === "CANCELLED";
  const title = textOf(event, "SUMMARY") || "Untitled";
  const [start, end] = [timeOf(event, "DTSTART"), timeOf(event, "DTEND")];
  const organizer = textOf(event, "ORGANIZER").replace(/^mailto:/i, "");
  const rows = [
    ["When", start && end ? `${start} – ${end}` : start],
    ["Where", textOf(event, "LOCATION")],
    ["Organizer", organizer],
    ["Repeats", textOf(event, "RRULE")],
  ].filter(([, value]) => value);
  return [
    `**${isCancelled ? "Cancelled" : method === "REPLY" ? "Answer to an invitation" : "Invitation"}: ${title.replaceAll("*", "")}**`,
    ...rows.map(([name, value]) => `* ${name}: ${value}`),
  ].join("\n");
}

const propertyOf = (lines: readonly string[], name: string) =>
  lines
    .map((line) => /^([A-Z-]+)((?:;[^:;"]*(?:"[^"]*")?)*):(.*)$/i.exec(line.slice(0, 4000)))
    .find((found) => found?.[1]?.toUpperCase() === name);

/** A property's text on one line, without the backslashes by which it is escaped. */
const textOf = (lines: readonly string[], name: string): string =>
  (propertyOf(lines, name)?.[3] ?? "")
    .replaceAll(/\\[nN]/g, " ")
    .replaceAll(/\\(.)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, maxValueCharacters);

/** A time of UTC as each reader's own; others, whose zone the sender has named, as they are. */
function timeOf(lines: readonly string[], name: string): string {
  const [, , parameters = "", value = ""] = propertyOf(lines, name) ?? [];
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(value.trim()) ?? [];
  if (!year) return "";
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  if (utc) return `<time:${date}T${hour}:${minute}:00Z>`;
  const [, zone] = /TZID="?([^;":]{1,60})/i.exec(parameters) ?? [];
  return `${date} ${hour}:${minute}${zone ? ` (${zone})` : ""}`;
}
