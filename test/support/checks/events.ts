import { logEvents } from "../../../infra/reference/event-schemas.ts";
import { describedEvents } from "../../../infra/reference/events.ts";
import type { Param } from "../../../shared/base/schema/params.ts";
import { issuesOf } from "./issues.ts";

/** Validates every event that a test receives, or finds in the log, against its schema. */

const described = Map.groupBy(describedEvents, ({ type }) => type);

interface Issue {
  path: PropertyKey[];
  message: string;
}

const describe = (issues: readonly Issue[]) =>
  issues.map(({ path, message }) => message.replace("{}", path.join(".") || "it")).join("; ");

/** The name of an event's schema in the OpenAPI document; throws if none matches. */
export function nameOfEvent(event: { type: string; op?: string }): string {
  const problems: string[] = [];
  for (const { name, schema } of described.get(event.type) ?? []) {
    const issues = issuesOf(schema.safeParse(event));
    if (issues.length === 0) return name;
    if (!issues.some(({ path }) => path[0] === "op")) problems.push(`as ${name}: ${describe(issues)}`);
  }
  throw new Error(`Not as described: ${JSON.stringify(event).slice(0, 2000)}\n${problems.join("\n")}`);
}

/** Throws if something in the log is not a valid log event. */
export function checkLogEvent(event: { type: string }): void {
  const isValid = (logEvents as readonly Param[]).some(({ schema }) => issuesOf(schema.safeParse(event)).length === 0);
  if (!isValid) throw new Error(`Not an event of the log: ${JSON.stringify(event)}`);
}
