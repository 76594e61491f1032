import { expect, test } from "vitest";
import { nextTime } from "../../../infra/local/aws/scheduler/expressions.ts";

const time = (text: string) => Date.parse(`${text}Z`);
const createdAt = time("2026-03-01T10:00:30");
const next = (expression: string, after: string) =>
  new Date(nextTime(expression, createdAt, time(after))).toISOString().slice(0, 19);

test("a rate counts from its creation", () => {
  expect(next("rate(5 minutes)", "2026-03-01T10:00:30")).toBe("2026-03-01T10:05:30");
  expect(next("rate(5 minutes)", "2026-03-02T10:01:00")).toBe("2026-03-02T10:05:30");
  expect(next("rate(1 day)", "2026-03-01T09:00:00")).toBe("2026-03-01T10:00:30");
});

test("`at` fires at its time, even if that is in the past", () => {
  expect(next("at(2026-02-28T12:00:00)", "2026-03-01T10:00:30")).toBe("2026-02-28T12:00:00");
});

test("a cron expression is refused, because nothing uses one", () => {
  expect(() => next("cron(0 12 * * ? *)", "2026-03-01T10:00:30")).toThrow("Invalid Schedule Expression");
});
