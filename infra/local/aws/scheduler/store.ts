import type { Database, Row } from "../database.ts";
import { region } from "../names.ts";
import { isOneTime, nextTime } from "./expressions.ts";

export interface Schedule {
  group: string;
  name: string;
  /** The input of CreateSchedule. */
  definition: Row;
  /** UNIX milliseconds. */
  createdAt: number;
}

const schema = `
  CREATE TABLE IF NOT EXISTS schedule_groups (name TEXT PRIMARY KEY, region TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS schedules (
    group_name TEXT NOT NULL REFERENCES schedule_groups ON DELETE CASCADE, name TEXT NOT NULL, region TEXT NOT NULL,
    definition TEXT NOT NULL, created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, next_at INTEGER,
    PRIMARY KEY (group_name, name)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS schedules_by_time ON schedules (next_at) WHERE next_at IS NOT NULL;`;

/** Schedules, and the groups of their names, on disk. */
export class ScheduleStore {
  readonly database: Database;

  constructor(database: Database) {
    this.database = database;
    database.define(schema);
  }

  putGroup(name: string): void {
    const sql = "INSERT INTO schedule_groups VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
    this.database.run(sql, name, region, Date.now());
  }

  find(group: string, name: string): Schedule | undefined {
    const row = this.database.find("SELECT * FROM schedules WHERE group_name = ? AND name = ?", group, name);
    return row && scheduleOf(row);
  }

  /** Writes a schedule and computes when it fires; throws ValidationException for an unsupported expression. */
  put(schedule: Pick<Schedule, "group" | "name" | "definition">, createdAt = Date.now()): void {
    const now = Date.now();
    const { definition } = schedule;
    const { ScheduleExpression: expression } = definition;
    // `now - 1` includes this moment: a rate fires first at its creation.
    const next = nextTime(expression, createdAt, isOneTime(expression) ? 0 : now - 1);
    this.database.run(
      `INSERT INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (group_name, name) DO UPDATE
       SET definition = excluded.definition, modified_at = excluded.modified_at, next_at = excluded.next_at`,
      ...[schedule.group, schedule.name, region, JSON.stringify(definition), createdAt, now],
      definition.State === "DISABLED" ? null : next,
    );
  }

  delete(group: string, name: string): void {
    this.database.run("DELETE FROM schedules WHERE group_name = ? AND name = ?", group, name);
  }

  listDue(now: number): Schedule[] {
    return this.database
      .list("SELECT * FROM schedules WHERE next_at <= ? ORDER BY next_at LIMIT 100", now)
      .map(scheduleOf);
  }

  /** Records that a schedule fired: deletes or completes a one-time schedule, or sets the next time of a recurring one. */
  advance({ group, name, definition, createdAt }: Schedule, now: number): void {
    const { ScheduleExpression, ActionAfterCompletion } = definition;
    const next = isOneTime(ScheduleExpression) ? undefined : nextTime(ScheduleExpression, createdAt, now);
    if (next === undefined && ActionAfterCompletion === "DELETE") this.delete(group, name);
    else
      this.database.run(
        "UPDATE schedules SET next_at = ? WHERE group_name = ? AND name = ?",
        next ?? null,
        group,
        name,
      );
  }

  /** When the next schedule is due. */
  nextAt(): number | undefined {
    return this.database.find("SELECT min(next_at) AS at FROM schedules")?.at ?? undefined;
  }
}

const scheduleOf = (row: Row): Schedule => ({
  group: row.group_name,
  name: row.name,
  definition: JSON.parse(row.definition),
  createdAt: row.created_at,
});
