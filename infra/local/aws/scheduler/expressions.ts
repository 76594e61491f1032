import { AwsError } from "../error.ts";

const minuteMs = 60_000;
const unitsMs: Record<string, number> = {
  minute: minuteMs,
  minutes: minuteMs,
  hour: 60 * minuteMs,
  hours: 60 * minuteMs,
  day: 1440 * minuteMs,
  days: 1440 * minuteMs,
};

/**
 * When a schedule fires next after `afterMs`, in UNIX milliseconds. A rate counts from the schedule's creation; the time of an
 * `at` is UTC. Supports `at` and `rate`, the only kinds that the fleet uses. Throws ValidationException for others.
 */
export function nextTime(expression: string, createdAtMs: number, afterMs: number): number {
  const [, kind, inner = ""] = /^(at|rate)\((.*)\)$/.exec(expression) ?? [];
  // The time of an `at` is returned even if it has passed: a one-time schedule that has not fired yet is then due at once.
  const next = kind === "at" ? readAt(inner) : kind === "rate" ? nextOfRate(inner, createdAtMs, afterMs) : undefined;
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

function nextOfRate(text: string, createdAtMs: number, afterMs: number): number | undefined {
  const [, value = "", unit = ""] = /^(\d+) (\w+)$/.exec(text) ?? [];
  const intervalMs = Number(value) * (unitsMs[unit] ?? 0);
  if (!(intervalMs > 0)) return undefined;
  return createdAtMs > afterMs
    ? createdAtMs
    : createdAtMs + (Math.floor((afterMs - createdAtMs) / intervalMs) + 1) * intervalMs;
}
