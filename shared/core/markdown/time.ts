import { plainDigits } from "../../base/folding.ts";

/**
 * The times of `<time:...>`: the forms and meanings of Python's `dateutil`, which Zulip uses, with its table of time zones. Where
 * `dateutil` would guess that an unknown time zone is UTC, the time is invalid.
 */

const months = namesOf(
  "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|sep sept september|oct october|nov november|dec december",
);
const weekdays = namesOf("mon monday|tue tuesday|wed wednesday|thu thursday|fri friday|sat saturday|sun sunday");
const units = namesOf("h hour hours|m minute minutes|s second seconds");
const halves = namesOf("am a|pm p");
/** What may stand between the parts of a time without a meaning of its own. */
const fillers = new Set([..." .,;-/'", ..."at on and ad m t of st nd rd th".split(" ")]);
const utcNames = new Set(["utc", "gmt", "z"]);

/** Offsets from UTC in minutes; the meanings that Zulip chose for ambiguous abbreviations. */
export const zoneOffsets = new Map<string, number>([
  ...zonesAt(-660, "SST"),
  ...zonesAt(-600, "HST"),
  ...zonesAt(-540, "AKST HDT"),
  ...zonesAt(-480, "AKDT PST"),
  ...zonesAt(-420, "MST PDT"),
  ...zonesAt(-360, "CST MDT"),
  ...zonesAt(-300, "CDT EST"),
  ...zonesAt(-240, "AST EDT"),
  ...zonesAt(-210, "NST"),
  ...zonesAt(-180, "ADT"),
  ...zonesAt(-150, "NDT"),
  ...zonesAt(0, "GMT UTC WET Z"),
  ...zonesAt(60, "BST CET MET WAT WEST"),
  ...zonesAt(120, "CAT CEST EET MEST SAST"),
  ...zonesAt(180, "EAT EEST IDT MSK"),
  ...zonesAt(300, "PKT"),
  ...zonesAt(330, "IST"),
  ...zonesAt(420, "WIB"),
  ...zonesAt(480, "AWST HKT WITA"),
  ...zonesAt(540, "JST KST WIT"),
  ...zonesAt(570, "ACST"),
  ...zonesAt(600, "AEST"),
  ...zonesAt(630, "ACDT"),
  ...zonesAt(660, "AEDT"),
  ...zonesAt(720, "NZST"),
  ...zonesAt(780, "NZDT"),
]);

/** The index of each name in a list of alternatives: "am a|pm p" gives am and a 0, pm and p 1. */
function namesOf(list: string): ReadonlyMap<string, number> {
  return new Map(list.split("|").flatMap((names, index) => names.split(" ").map((name) => [name, index] as const)));
}

function zonesAt(minutes: number, names: string): [string, number][] {
  return names.split(" ").map((name) => [name, minutes]);
}

const maxCharacters = 100;

/**
 * Parses the time in `<time:...>` and returns it in ISO 8601; undefined if it is invalid. Times without a zone are in UTC; what is
 * missing of a date is that of `now`, and a weekday without a date is the next one.
 */
export function parseTime(text: string, now = new Date()): string | undefined {
  if (text.length > maxCharacters) return undefined;
  const digits = plainDigits(text);
  return readTime(digits, now) ?? fromUnix(digits.trim());
}

function readTime(text: string, now: Date): string | undefined {
  try {
    const parser = new TimeParser(text);
    return isoOf(parser.read(), now);
  } catch (error) {
    if (error instanceof InvalidTime) return undefined;
    throw error;
  }
}

/** Clients cannot parse other years. */
const isYear = (year: number) => year >= 1 && year <= 9999;

function fromUnix(text: string): string | undefined {
  // As in Python, an underscore may be between two digits.
  const number = text.replace(/(?<=\d)_(?=\d)/g, "");
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(number)) return undefined;
  const microseconds = Math.round(Number(number) * 1e6);
  const date = new Date(Math.floor(microseconds / 1e6) * 1000);
  if (!isYear(date.getUTCFullYear())) return undefined;
  return format(date, microseconds - date.getTime() * 1000);
}

class InvalidTime extends Error {}

function fail(): never {
  throw new InvalidTime();
}

/**
 * Words, numbers and single other characters. A dot belongs to a number as its decimal point, as a comma does behind two digits or
 * more, and separates whatever else it stands between.
 */
function tokensOf(text: string): string[] {
  const pattern = /(?:\p{L}+|\d{2,},\d*|\d+)(?:\.(?:\p{L}+|\d+)?)*|\s|./gsu;
  return [...text.matchAll(pattern)].flatMap(({ 0: run, index }) => {
    // A letter with which the whole text ends does not separate: "5.t" is one word, which means nothing.
    const hasLetters = /\p{L}/u.test(index + run.length === text.length ? run.slice(0, -1) : run);
    const isSeparated = run.length > 1 && (hasLetters || /\..*\.|[.,]$/.test(run)) && /^[\p{L}\d]/u.test(run);
    const parts = isSeparated ? run.split(/([.,])/).filter((part) => part !== "") : [run];
    return parts.map((part) => (/\s/.test(part) ? " " : part.replace(/^(\d+),(\d+)$/, "$1.$2")));
  });
}

const isDecimal = (token: string | undefined) => token !== undefined && /^\d+(?:\.\d+)?$/.test(token);
const isFiller = (token: string | undefined) => token !== undefined && fillers.has(token.toLowerCase());
const named = (names: ReadonlyMap<string, number>, token: string | undefined) => names.get((token ?? "").toLowerCase());

/** A number without a sign or a decimal point. */
const wholeNumber = (token: string | undefined): number =>
  token !== undefined && /^\d+$/.test(token) ? Number(token) : fail();

/** The parts of a decimal number: its whole part, and that many of 60 as its fraction is, rounded down. */
function sexagesimal(token: string): { whole: number; sixtieths: number | undefined } {
  const [whole = "", fraction = ""] = token.split(".");
  const isWhole = !/[1-9]/.test(fraction);
  return {
    whole: wholeNumber(whole),
    sixtieths: isWhole ? undefined : Number((60n * BigInt(fraction)) / 10n ** BigInt(fraction.length)),
  };
}

/** The last day of a month; of months that do not exist, there is none. */
function lastDay(year: number, month: number): number {
  if (month < 1 || month > 12) fail();
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}

type DatePart = "year" | "month" | "day";

/** The numbers of a date in their order, with those whose part is known. */
class DateNumbers {
  readonly values: number[] = [];
  readonly known = new Map<DatePart, number>();
  hasCentury = false;

  add(value: number | string, part?: DatePart): void {
    const number = typeof value === "string" ? wholeNumber(value) : Math.trunc(value);
    let label = part;
    if (typeof value === "string" ? value.length > 2 : value > 100) {
      if (part !== undefined && part !== "year") fail();
      this.hasCentury = true;
      label = "year";
    }
    this.values.push(number);
    if (label === undefined) return;
    if (this.known.has(label)) fail();
    this.known.set(label, this.values.length - 1);
  }

  couldBeDay(value: number): boolean {
    if (this.known.has("day")) return false;
    const [month, year] = [this.#value("month"), this.#value("year")];
    return value >= 1 && value <= (month === undefined ? 31 : lastDay(year ?? 2000, month));
  }

  /** Which number is which: what is known, then what is possible, then the order that people in the United States use. */
  resolve(): { [part in DatePart]?: number } {
    const { values, known } = this;
    const [first = 0, second = 0, third = 0] = values;
    if (values.length > 3) fail();
    if (values.length > 0 && known.size === values.length) return this.#resolveKnown();
    if (values.length === 3 && known.size === 2) {
      const used = new Set(known.values());
      const missing = (["year", "month", "day"] as const).find((part) => !known.has(part));
      if (missing) known.set(missing, [0, 1, 2].find((index) => !used.has(index)) ?? 0);
      return this.#resolveKnown();
    }
    const monthIndex = known.get("month");
    if (values.length === 1) return first > 31 ? { year: first } : { day: first };
    if (values.length === 2) {
      if (monthIndex !== undefined) {
        const [month, other] = monthIndex === 0 ? [first, second] : [second, first];
        return other > 31 ? { month, year: other } : { month, day: other };
      }
      if (first > 31) return { year: first, month: second };
      return second > 31 ? { month: first, year: second } : { month: first, day: second };
    }
    if (values.length === 0) return {};
    if (monthIndex === 0)
      return second > 31 ? { month: first, year: second, day: third } : { month: first, day: second, year: third };
    if (monthIndex === 1)
      return first > 31 ? { year: first, month: second, day: third } : { day: first, month: second, year: third };
    if (monthIndex === 2)
      return second > 31 ? { day: first, year: second, month: third } : { year: first, day: second, month: third };
    if (first > 31 || known.get("year") === 0) return { year: first, month: second, day: third };
    return first > 12 ? { day: first, month: second, year: third } : { month: first, day: second, year: third };
  }

  #value(part: DatePart): number | undefined {
    const index = this.known.get(part);
    return index === undefined ? undefined : this.values[index];
  }

  #resolveKnown(): { [part in DatePart]?: number } {
    return Object.fromEntries([...this.known.keys()].map((part) => [part, this.#value(part)]));
  }
}

interface TimeParts {
  year?: number | undefined;
  hasCentury: boolean;
  month?: number | undefined;
  day?: number | undefined;
  weekday?: number | undefined;
  hour?: number | undefined;
  minute?: number | undefined;
  second?: number | undefined;
  microsecond?: number | undefined;
  zone?: string | undefined;
  offsetMinutes?: number | undefined;
}

/** Reads a time from left to right. Each `#read…` takes the tokens from `#index` on that belong to it. */
class TimeParser {
  readonly #tokens: string[];
  readonly #dates = new DateNumbers();
  readonly #parts: TimeParts = { hasCentury: false };
  #index = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  read(): TimeParts {
    for (; this.#index < this.#tokens.length; this.#index += 1) this.#readToken(this.#at(0) ?? fail());
    const parts = { ...this.#parts, ...this.#dates.resolve(), hasCentury: this.#dates.hasCentury };
    const { hasCentury: _, ...given } = parts;
    if (Object.keys(given).length === 0) fail();
    return parts;
  }

  #at(distance: number): string | undefined {
    return this.#tokens[this.#index + distance];
  }

  #readToken(token: string): void {
    const parts = this.#parts;
    const weekday = named(weekdays, token);
    const month = named(months, token);
    const half = named(halves, token);
    if (/^\d/.test(token)) this.#readNumber(token);
    else if (weekday !== undefined) parts.weekday = weekday;
    else if (month !== undefined) this.#readMonth(month + 1);
    else if (half !== undefined) {
      if (parts.hour === undefined || parts.hour > 12) fail();
      parts.hour = hourOf(parts.hour, half);
    } else if (this.#couldBeZone(token)) this.#readZone(token);
    else if (parts.hour !== undefined && /^[+-]$/.test(token)) this.#readOffset(token === "-" ? -1 : 1);
    else if (!isFiller(token)) fail();
  }

  #readNumber(token: string): void {
    if (!isDecimal(token)) fail();
    const parts = this.#parts;
    const dates = this.#dates;
    const next = this.#at(1);
    const { length } = token;
    const unit = this.#unitOf();
    const half = named(halves, next);
    if (
      dates.values.length === 3 &&
      (length === 2 || length === 4) &&
      parts.hour === undefined &&
      next !== ":" &&
      named(units, next) === undefined
    ) {
      // 20271121 14 or 20271121T1430
      parts.hour = wholeNumber(token.slice(0, 2));
      if (length === 4) parts.minute = wholeNumber(token.slice(2));
    } else if (length === 6 || (length > 6 && token.indexOf(".") === 6)) this.#readSixDigits(token);
    else if (length === 8 || length === 12 || length === 14) {
      // 20271121, 202711211430 or 20271121143059
      dates.add(token.slice(0, 4), "year");
      dates.add(token.slice(4, 6));
      dates.add(token.slice(6, 8));
      if (length > 8) {
        parts.hour = wholeNumber(token.slice(8, 10));
        parts.minute = wholeNumber(token.slice(10, 12));
      }
      if (length > 12) parts.second = wholeNumber(token.slice(12));
    } else if (unit) {
      this.#assignUnit(token, unit.unit);
      this.#index += unit.length;
    } else if (next === ":" && this.#at(2) !== undefined) this.#readClock(token);
    else if (next === "-" || next === "/" || next === ".") this.#readDate(token, next);
    else if (next === undefined || isFiller(next)) {
      const laterHalf = named(halves, this.#at(2));
      if (laterHalf === undefined) dates.add(Number(token));
      else {
        parts.hour = hourOf(Math.trunc(Number(token)), laterHalf);
        this.#index += 1;
      }
      this.#index += 1;
    } else if (half !== undefined && Number(token) < 24) {
      parts.hour = hourOf(Math.trunc(Number(token)), half);
      this.#index += 1;
    } else if (dates.couldBeDay(Number(token))) dates.add(Number(token));
    else fail();
  }

  /** 271121, 143059 or 143059.5 */
  #readSixDigits(token: string): void {
    const pairs = [token.slice(0, 2), token.slice(2, 4)] as const;
    if (this.#dates.values.length === 0 && !token.includes(".")) {
      for (const pair of [...pairs, token.slice(4)]) this.#dates.add(pair);
      return;
    }
    this.#parts.hour = wholeNumber(pairs[0]);
    this.#parts.minute = wholeNumber(pairs[1]);
    this.#assignSeconds(token.slice(4));
  }

  /** 14:30, 14:30.5 or 14:30:59.25 */
  #readClock(hour: string): void {
    this.#parts.hour = Math.trunc(Number(hour));
    this.#assignMinutes(this.#at(2) ?? "");
    const hasSeconds = this.#at(3) === ":" && this.#at(4) !== undefined;
    if (hasSeconds) this.#assignSeconds(this.#at(4) ?? "");
    this.#index += hasSeconds ? 4 : 2;
  }

  /** 2027-11-21, 11/21/2027 or 21.Nov.2027 */
  #readDate(first: string, separator: string): void {
    const dates = this.#dates;
    dates.add(first);
    const second = this.#at(2);
    this.#index += 1;
    if (second === undefined || isFiller(second)) return;
    const month = named(months, second);
    if (month === undefined) dates.add(second);
    else dates.add(month + 1, "month");
    this.#index += 1;
    // The index is at the second number.
    if (this.#at(1) !== separator) return;
    const third = this.#at(2) ?? fail();
    const thirdMonth = named(months, third);
    if (thirdMonth === undefined) dates.add(third);
    else dates.add(thirdMonth + 1, "month");
    this.#index += 2;
  }

  #readMonth(month: number): void {
    const dates = this.#dates;
    dates.add(month, "month");
    const [separator, second] = [this.#at(1), this.#at(2)];
    if (separator === "-" || separator === "/") {
      // Nov-21 or Nov-21-2027
      dates.add(second ?? fail());
      this.#index += 2;
      if (this.#at(1) !== separator) return;
      dates.add(this.#at(2) ?? fail());
      this.#index += 2;
    } else if (
      separator === " " &&
      this.#at(3) === " " &&
      second?.toLowerCase() === "of" &&
      this.#at(4) !== undefined
    ) {
      // November of 27
      const year = this.#at(4) ?? "";
      if (/^\d+$/.test(year)) dates.add(String(fullYear(Number(year), new Date())), "year");
      this.#index += 4;
    }
  }

  /** The unit of the number at the index, such as in "9h", "9 h 30" or "9h30", and how many more tokens it takes. */
  #unitOf(): { unit: number; length: number } | undefined {
    const following = named(units, this.#at(1));
    if (following !== undefined) return { unit: following, length: 1 };
    const later = this.#at(1) === " " ? named(units, this.#at(2)) : undefined;
    if (later !== undefined) return { unit: later, length: 2 };
    const previous = named(units, this.#at(-1));
    if (previous !== undefined) return { unit: previous + 1, length: 0 };
    const isLast = this.#index === this.#tokens.length - 1 && this.#index > 1;
    const earlier = isLast && this.#at(-1) === " " ? named(units, this.#at(-2)) : undefined;
    return earlier === undefined ? undefined : { unit: earlier + 1, length: 0 };
  }

  #assignUnit(token: string, unit: number): void {
    if (unit === 0) {
      const { whole, sixtieths } = sexagesimal(token);
      this.#parts.hour = whole;
      if (sixtieths !== undefined) this.#parts.minute = sixtieths;
    } else if (unit === 1) this.#assignMinutes(token);
    else if (unit === 2) this.#assignSeconds(token);
  }

  #assignMinutes(token: string): void {
    if (!isDecimal(token)) fail();
    const { whole, sixtieths } = sexagesimal(token);
    this.#parts.minute = whole;
    this.#parts.second = sixtieths;
  }

  #assignSeconds(token: string): void {
    const [whole, fraction = "", ...rest] = token.split(".");
    if (rest.length > 0 || (token.includes(".") && !/^\d*$/.test(fraction))) fail();
    this.#parts.second = wholeNumber(whole);
    this.#parts.microsecond = Number(fraction.padEnd(6, "0").slice(0, 6));
  }

  #couldBeZone(token: string | undefined): token is string {
    const { hour, zone, offsetMinutes } = this.#parts;
    if (hour === undefined || zone !== undefined || offsetMinutes !== undefined) return false;
    return token !== undefined && /^(?:[A-Z]{1,5}|z)$/.test(token);
  }

  /** KST; or GMT+3, which as in POSIX means that three hours more are GMT. */
  #readZone(token: string): void {
    const sign = this.#at(1);
    const isUtc = utcNames.has(token.toLowerCase());
    if (sign !== "+" && sign !== "-") {
      this.#parts.zone = token;
      if (token === "z") this.#parts.offsetMinutes = 0;
      return;
    }
    this.#tokens[this.#index + 1] = sign === "+" ? "-" : "+";
    if (!isUtc) this.#parts.zone = token;
  }

  /** +03, +0300, +03:00 or +0300 (MSK) */
  #readOffset(sign: number): void {
    const digits = this.#at(1) ?? fail();
    let [hours, minutes, length] = [0, 0, 1];
    if (digits.length === 4) [hours, minutes] = [wholeNumber(digits.slice(0, 2)), wholeNumber(digits.slice(2))];
    else if (this.#at(2) === ":") [hours, minutes, length] = [wholeNumber(digits), wholeNumber(this.#at(3)), 3];
    else if (digits.length <= 2) hours = wholeNumber(digits);
    else fail();
    this.#parts.offsetMinutes = undefined;
    this.#index += length;
    const name = this.#at(3);
    const isNamed = isFiller(this.#at(1)) && this.#at(2) === "(" && this.#at(4) === ")" && (name?.length ?? 0) >= 3;
    if (isNamed && this.#couldBeZone(name)) {
      this.#parts.zone = name;
      this.#index += 4;
    }
    this.#parts.offsetMinutes = sign * (hours * 60 + minutes);
  }
}

const hourOf = (hour: number, half: number): number => {
  if (half === 1 && hour < 12) return hour + 12;
  return half === 0 && hour === 12 ? 0 : hour;
};

/** A year of two digits is one within fifty years of today. */
function fullYear(year: number, now: Date): number {
  const current = now.getUTCFullYear();
  const guess = Math.floor(current / 100) * 100 + year;
  if (year >= 100) return year;
  if (guess >= current + 50) return guess - 100;
  return guess < current - 50 ? guess + 100 : guess;
}

/** Minutes from UTC. A zone that is in the table has the table's offset, even if another one follows it. */
function offsetOf({ zone, offsetMinutes }: TimeParts): number {
  const offset = zone === undefined ? (offsetMinutes ?? 0) : (zoneOffsets.get(zone.toUpperCase()) ?? offsetMinutes);
  // Offsets of a day or more are invalid.
  return offset !== undefined && Math.abs(offset) < 24 * 60 ? offset : fail();
}

function isoOf(parts: TimeParts, now: Date): string {
  const { hour = 0, minute = 0, second = 0, microsecond = 0 } = parts;
  const year =
    parts.year === undefined || parts.hasCentury ? (parts.year ?? now.getUTCFullYear()) : fullYear(parts.year, now);
  const month = parts.month ?? now.getUTCMonth() + 1;
  // Without a day, it is today's, or the last of a shorter month.
  const day = parts.day ?? Math.min(now.getUTCDate(), lastDay(year, month));
  if (!isYear(year) || day < 1 || day > lastDay(year, month) || hour > 23 || minute > 59 || second > 59) fail();
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (parts.weekday !== undefined && !parts.day)
    date.setUTCDate(date.getUTCDate() + ((parts.weekday + 8 - date.getUTCDay()) % 7));
  date.setUTCHours(hour, minute, second);
  date.setTime(date.getTime() - offsetOf(parts) * 60_000);
  return isYear(date.getUTCFullYear()) ? format(date, microsecond) : fail();
}

function format(date: Date, microseconds: number): string {
  const seconds = date.toISOString().slice(0, 19);
  return `${seconds}${microseconds === 0 ? "" : `.${String(microseconds).padStart(6, "0")}`}Z`;
}
