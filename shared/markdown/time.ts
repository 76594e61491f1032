const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekday = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*$/;
/** Offsets from UTC in minutes. */
const zoneOffsets: Record<string, number> = {
  z: 0,
  utc: 0,
  gmt: 0,
  wet: 0,
  bst: 60,
  cet: 60,
  cest: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  ist: 330,
  jst: 540,
  aest: 600,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
};

interface TimeParts {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute: number;
  second: number;
  /** The digits after the decimal point of the second. */
  fraction: string;
  offsetMinutes: number;
}

const maxCharacters = 100;

/** Parses the time in `<time:...>` and returns it in ISO 8601; undefined if it is invalid. Times without a zone are in UTC. */
export function parseTime(text: string): string | undefined {
  const source = text.trim();
  if (source === "" || source.length > maxCharacters) return undefined;
  if (/^[+-]?\d+(?:\.\d*)?$/.test(source)) {
    const compact = readCompact(source);
    return (compact && isoOf(compact)) ?? fromUnix(source);
  }
  const parts = readIso(source) ?? readWords(source);
  return parts && isoOf(parts);
}

/** Clients cannot parse other years. */
const isYear = (year: number) => year >= 1 && year <= 9999;

function fromUnix(text: string): string | undefined {
  const seconds = Number(text);
  const date = new Date(Math.floor(seconds) * 1000);
  if (!isYear(date.getUTCFullYear())) return undefined;
  const fraction = (text.split(".")[1] ?? "").slice(0, 6);
  return format(date, /[1-9]/.test(fraction) && seconds > 0 ? fraction : "");
}

/** `20261121`, `202611211400` or `20261121140059`. */
function readCompact(text: string): TimeParts | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?$/.exec(text);
  return match ? toTimeParts(match.slice(1), "", 0) : undefined;
}

function readIso(text: string): TimeParts | undefined {
  const match =
    /^(\d{4})-(\d\d?)(?:-(\d\d?)(?:[Tt ]\s*(\d\d?)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?)?)?\s*(\S+)?$/.exec(text);
  if (!match) return undefined;
  const offset = match[8] === undefined ? 0 : readZone(match[8].toLowerCase());
  return offset === undefined ? undefined : toTimeParts(match.slice(1, 7), match[7] ?? "", offset);
}

function toTimeParts(fields: (string | undefined)[], fraction: string, offsetMinutes: number): TimeParts {
  const [year, month, day, hour, minute, second] = fields.map((field) =>
    field === undefined ? undefined : Number(field),
  );
  return {
    ...(year !== undefined && { year }),
    ...(month !== undefined && { month }),
    day: day ?? 1,
    hour: hour ?? 0,
    minute: minute ?? 0,
    second: second ?? 0,
    fraction,
    offsetMinutes,
  };
}

/** Parses free forms such as `Jun 5th 2017, 10:30PM` or `5 June 2017 22:30 +0200`. */
function readWords(text: string): TimeParts | undefined {
  const parts: TimeParts = { minute: 0, second: 0, fraction: "", offsetMinutes: 0 };
  const numbers: number[] = [];
  const tokens =
    text.match(/\d+:\d\d(?::\d\d(?:\.\d+)?)?|[+-]\d\d:?\d\d\b|\d+[/.-]\d+[/.-]\d+|\d+|[a-zA-Z]+|[^\s,]/g) ?? [];
  for (const originalToken of tokens) {
    const token = originalToken.toLowerCase();
    const time = /^(\d+):(\d\d)(?::(\d\d)(?:\.(\d+))?)?$/.exec(token);
    const month = months.indexOf(token.slice(0, 3));
    if (time) {
      if (parts.hour !== undefined) return undefined;
      parts.hour = Number(time[1]);
      parts.minute = Number(time[2]);
      parts.second = Number(time[3] ?? 0);
      parts.fraction = time[4] ?? "";
    } else if (token === "am" || token === "pm") {
      if (parts.hour === undefined) parts.hour = numbers.pop() ?? Number.NaN;
      if (!(parts.hour <= 12)) return undefined;
      parts.hour = (parts.hour % 12) + (token === "pm" ? 12 : 0);
    } else if (/^\d+$/.test(token)) numbers.push(Number(token));
    else if (/^\d+[/.-]/.test(token)) numbers.push(...token.split(/[/.-]/).map(Number));
    else if (/^[a-z]{3,}$/.test(token) && month !== -1 && !weekday.test(token)) {
      if (parts.month !== undefined) return undefined;
      parts.month = month + 1;
    } else if (/^(?:st|nd|rd|th|t|of|at|on|and)$/.test(token) || weekday.test(token)) continue;
    else {
      // An unknown abbreviation in capitals counts as UTC.
      const offset = readZone(token) ?? (/^[A-Z]{1,5}$/.test(originalToken) ? 0 : undefined);
      if (offset === undefined || parts.hour === undefined) return undefined;
      parts.offsetMinutes = offset;
    }
  }
  return assignNumbers(parts, numbers);
}

/** Assigns the numbers that are not part of a time to year, month and day; undefined if that is impossible. */
function assignNumbers(parts: TimeParts, numbers: number[]): TimeParts | undefined {
  const yearIndex = numbers.findIndex((number) => number > 31);
  if (yearIndex !== -1) parts.year = fullYear(takeAt(numbers, yearIndex));
  // The first number is the month, unless it exceeds 12.
  if (parts.month === undefined && numbers.length > 1) parts.month = takeAt(numbers, Number(numbers[0]) > 12 ? 1 : 0);
  if (numbers.length > 0) parts.day = takeAt(numbers, 0);
  if (parts.year === undefined && numbers.length > 0) parts.year = fullYear(takeAt(numbers, 0));
  const knownPart = parts.year ?? parts.month ?? parts.day ?? parts.hour;
  return numbers.length > 0 || knownPart === undefined ? undefined : parts;
}

/** Removes and returns the number at an index. */
const takeAt = (numbers: number[], index: number): number => numbers.splice(index, 1)[0] ?? 0;

function fullYear(year: number): number {
  return year >= 100 ? year : year + (year < 70 ? 2000 : 1900);
}

/** The offset of a time zone in minutes. */
function readZone(text: string): number | undefined {
  const match = /^(?:utc|gmt)?([+-])(\d\d?)(?::?(\d\d))?$/.exec(text);
  if (!match) return Object.hasOwn(zoneOffsets, text) ? zoneOffsets[text] : undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  // Offsets of a day or more are invalid.
  if (minutes >= 24 * 60) return undefined;
  return (match[1] === "-" ? -1 : 1) * minutes;
}

function isoOf(parts: TimeParts): string | undefined {
  const now = new Date();
  const year = parts.year ?? now.getUTCFullYear();
  const month = parts.month ?? now.getUTCMonth() + 1;
  const day = parts.day ?? now.getUTCDate();
  const hour = parts.hour ?? 0;
  if (hour > 23 || parts.minute > 59 || parts.second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, parts.minute, parts.second);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setTime(date.getTime() - parts.offsetMinutes * 60_000);
  if (!isYear(year) || !isYear(date.getUTCFullYear())) return undefined;
  return format(date, /[1-9]/.test(parts.fraction.slice(0, 6)) ? parts.fraction.slice(0, 6) : "");
}

function format(date: Date, fraction: string): string {
  const seconds = date.toISOString().slice(0, 19);
  return `${seconds}${fraction === "" ? "" : `.${fraction.padEnd(6, "0")}`}Z`;
}
