import { expect, test } from "vitest";
import { nextTime } from "../../infra/local/aws/schedule-expressions.ts";

const time = (text: string) => Date.parse(`${text}Z`);
const createdAt = time("2026-03-01T10:00:30");
const next = (expression: string, after: string, more: { startAt?: number; endAt?: number } = {}) => {
  const found = nextTime({ expression, createdAt, ...more }, time(after));
  return found === undefined ? undefined : new Date(found).toISOString().slice(0, 19);
};

test("a rate counts from its creation or its start date, and ends", () => {
  expect(next("rate(5 minutes)", "2026-03-01T10:00:30")).toBe("2026-03-01T10:05:30");
  expect(next("rate(5 minutes)", "2026-03-02T10:01:00")).toBe("2026-03-02T10:05:30");
  expect(next("rate(1 day)", "2026-03-01T11:00:00", { startAt: time("2026-04-01T00:00:00") })).toBe(
    "2026-04-01T00:00:00",
  );
  expect(next("rate(1 hour)", "2026-03-01T11:00:00", { endAt: time("2026-03-01T11:00:10") })).toBeUndefined();
});

test("a cron gives the next minute that fits all of its fields", () => {
  expect(next("cron(0/15 9-17 ? * MON-FRI *)", "2026-03-06T17:45:00")).toBe("2026-03-09T09:00:00");
  expect(next("cron(30 6 1 JAN,JUL ? *)", "2026-03-01T00:00:00")).toBe("2026-07-01T06:30:00");
  expect(next("cron(0 0 29 2 ? *)", "2026-03-01T00:00:00")).toBe("2028-02-29T00:00:00");
  expect(next("cron(* * * * ? *)", "2026-03-01T10:00:00")).toBe("2026-03-01T10:01:00");
});

test("a cron whose time never comes again has no next time", () => {
  expect(next("cron(0 0 31 2 ? *)", "2026-03-01T00:00:00")).toBeUndefined();
  expect(next("cron(0 0 1 1 ? 2026)", "2026-03-01T00:00:00")).toBeUndefined();
});
