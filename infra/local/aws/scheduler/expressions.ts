import { AwsError } from "../protocol.ts";

const minute = 60_000;
const units: Record<string, number> = {
  minute,
  minutes: minute,
  hour: 60 * minute,
  hours: 60 * minute,
  day: 1440 * minute,
  days: 1440 * minute,
};

/**
 * When a schedule fires next after `after` (UNIX milliseconds, UTC); a rate counts from its creation. Supports `at` and
 * `rate`, the only kinds that the fleet uses. Throws ValidationException.
 */
export function nextTime(expression: string, createdAt: number, after: number): number {
  const [, kind, inner = ""] = /^(at|rate)\((.*)\)$/.exec(expression) ?? [];
  // Only called for a schedule that has not fired yet: a time in the past means now.
  const next = kind === "at" ? readAt(inner) : kind === "rate" ? nextOfRate(inner, createdAt, after) : undefined;
  if (next === undefined) throw new AwsError("ValidationException", `Invalid Schedule Expression ${expression}.`);
  return next;
}

/** Whether a schedule fires only once. */
export const isOneTime = (expression: string): boolean => expression.startsWith("at(");

function readAt(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) return undefined;
  const time = Date.parse(`${text}Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== text ? undefined : time;
}

function nextOfRate(text: string, createdAt: number, after: number): number | undefined {
  const [, value = "", unit = ""] = /^(\d+) (\w+)$/.exec(text) ?? [];
  const step = Number(value) * (units[unit] ?? 0);
  if (!(step > 0)) return undefined;
  return createdAt > after ? createdAt : createdAt + (Math.floor((after - createdAt) / step) + 1) * step;
}
