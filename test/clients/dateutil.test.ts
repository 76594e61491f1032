import { join } from "node:path";
import { expect, test } from "vitest";
import { parseTime, zoneOffsets } from "../../shared/core/markdown/time.ts";
import { environmentWith, runPython } from "../support/outside/python.ts";
import { fc, seed } from "../support/random.ts";

/** Times mean what they mean in Zulip, which reads them with `dateutil`. */

const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const padded = (min: number, max: number) => number(min, max).map((text) => text.padStart(2, "0"));
const part = (min: number, max: number) => fc.oneof(number(min, max), padded(min, max));
const orNothing = (text: fc.Arbitrary<string>) => fc.oneof({ weight: 2, arbitrary: fc.constant("") }, text);
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(""));

const cased = (names: string) =>
  fc
    .constantFrom(...names.split(" "))
    .chain((name) => fc.constantFrom(name, name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1)));
const month = cased(
  "jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov november dec december",
);
const weekday = cased("mon monday tue tuesday wed wednesday thu thursday fri friday sat saturday sun sunday");
const year = fc.oneof(number(1950, 2150), padded(0, 99), number(1, 9999));
const day = joined(part(0, 32), orNothing(fc.constantFrom("st", "nd", "rd", "th")));
const separator = fc.constantFrom(" ", ", ", "-", "/", ".", ". ");
const zone = fc.oneof(
  fc.constantFrom(...zoneOffsets.keys()),
  fc.constantFrom("z", "utc", "kst", "XYZ", "ABCDEF", "EST5EDT", "T", "A"),
  joined(
    fc.constantFrom("", "UTC", "GMT", "EST", "BRST"),
    fc.constantFrom("+", "-"),
    fc.oneof(part(0, 25), joined(padded(0, 23), orNothing(fc.constant(":")), padded(0, 60))),
  ),
  fc.constant("+0300 (MSK)"),
);
const clock = fc.oneof(
  joined(
    part(0, 25),
    fc.constant(":"),
    part(0, 61),
    orNothing(joined(fc.constant(":"), part(0, 61), orNothing(joined(fc.constantFrom(".", ","), number(0, 9999999))))),
  ),
  joined(part(0, 25), orNothing(fc.constant(" ")), fc.constantFrom("am", "pm", "AM", "PM", "a", "p", "h", "hours")),
  joined(part(0, 23), fc.constant("h"), part(0, 59), orNothing(fc.constant("m"))),
  joined(padded(0, 23), padded(0, 59), orNothing(padded(0, 59))),
);
const date = fc.oneof(
  fc
    .tuple(fc.shuffledSubarray([0, 1, 2], { minLength: 1 }), fc.tuple(day, month, year), separator)
    .map(([order, parts, between]) => order.map((index) => parts[index]).join(between)),
  fc
    .tuple(part(0, 32), part(0, 13), year, separator)
    .map(([first, second, third, between]) => [third, second, first].join(between)),
  fc
    .tuple(part(0, 32), part(0, 13), year, separator)
    .map(([first, second, third, between]) => [second, first, third].join(between)),
  joined(number(1900, 2100), padded(0, 12), padded(0, 31)),
  joined(month, fc.constant(" of "), year),
);
const form = fc.oneof(
  joined(
    date,
    orNothing(fc.constantFrom(" ", "T", ", ", " at ", "  ")),
    clock,
    orNothing(joined(orNothing(fc.constant(" ")), zone)),
  ),
  joined(
    orNothing(joined(weekday, fc.constantFrom(" ", ", "))),
    clock,
    orNothing(joined(fc.constant(" "), zone)),
    orNothing(joined(fc.constant(" "), date)),
  ),
  date,
  joined(weekday, fc.constantFrom(" ", ", ", " the "), date),
  fc.oneof(
    number(-1000, 1_000_000),
    number(1_000_000, 3_000_000_000),
    joined(number(0, 2_000_000_000), fc.constant("."), number(0, 999_999)),
    joined(number(1, 2000), fc.constantFrom("_", "__", "_0_"), number(0, 999_999)),
  ),
  fc
    .array(
      fc.oneof(
        date,
        clock,
        zone,
        weekday,
        month,
        fc.constantFrom(" ", ",", "of", "at", "on", "-", ":", "junk", "h", "m", "１２:00", "٣", "3:00\u202fPM"),
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join(" ")),
);

test("random times mean what dateutil reads", async () => {
  const texts = fc.sample(form, { numRuns: 10_000, seed }).filter((text) => text.length <= 100);
  const now = new Date();
  const today = now.toISOString().slice(0, 10);
  const environment = await environmentWith("python-dateutil", "2.9.0.post0");
  const zones = Object.fromEntries(zoneOffsets);

  const expected: (string | null)[] = await runPython(
    join(import.meta.dirname, "read-times.py"),
    { texts, today, zones },
    environment,
  );

  const differences = texts.flatMap((text, index) => {
    const [ours, theirs] = [parseTime(text, now) ?? null, expected[index]];
    return ours === theirs ? [] : [{ text, ours, theirs }];
  });
  expect(differences.slice(0, 20)).toEqual([]);
  // The forms are not mostly invalid.
  expect(expected.filter((time) => time !== null).length).toBeGreaterThan(2_000);
});
