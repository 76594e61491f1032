import type { Database, Row } from "../database.ts";
import type { Json } from "../protocol.ts";
import { isOneTime, nextTime } from "./expressions.ts";

/** The input of CreateSchedule. */
export type Definition = Json;

export interface Schedule {
  group: string;
  name: string;
  region: string;
  definition: Definition;
  /** UNIX milliseconds, like the times below. */
  createdAt: number;
  modifiedAt: number;
  /** When the schedule fires next; undefined if it is disabled or has fired for the last time. */
  nextAt: number | undefined;
}

const schema = `
  CREATE TABLE IF NOT EXISTS schedule_groups (name TEXT PRIMARY KEY, region TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS schedules (
    group_name TEXT NOT NULL REFERENCES schedule_groups ON DELETE CASCADE, name TEXT NOT NULL, region TEXT NOT NULL,
    definition TEXT NOT NULL, created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, next_at INTEGER,
    PRIMARY KEY (group_name, name)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS schedules_by_time ON schedules (next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS schedule_retries (
    id INTEGER PRIMARY KEY, schedule_arn TEXT NOT NULL, target TEXT NOT NULL, input TEXT NOT NULL, failures INTEGER NOT NULL,
    fired_at INTEGER NOT NULL, next_at INTEGER NOT NULL
  ) STRICT;`;

/** Schedule groups, schedules, and deliveries to retry, on disk. */
export class ScheduleStore {
  readonly database: Database;

  constructor(database: Database) {
    this.database = database;
    database.define(schema);
    this.putGroup("default", "us-east-1");
  }

  hasGroup(name: string): boolean {
    return this.database.find("SELECT 1 FROM schedule_groups WHERE name = ?", name) !== undefined;
  }

  /** Returns false if the group already exists. */
  putGroup(name: string, region: string): boolean {
    return (
      this.database.run(
        "INSERT INTO schedule_groups VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        name,
        region,
        Date.now(),
      ) > 0
    );
  }

  find(group: string, name: string): Schedule | undefined {
    const row = this.database.find("SELECT * FROM schedules WHERE group_name = ? AND name = ?", group, name);
    return row && scheduleOf(row);
  }

  /** Writes a schedule and computes when it fires; throws ValidationException for an unsupported expression. */
  put(schedule: Pick<Schedule, "group" | "name" | "region" | "definition">, createdAt = Date.now()): void {
    const now = Date.now();
    const { definition } = schedule;
    const { ScheduleExpression: expression } = definition;
    // `now - 1` includes this moment: a rate fires first at its creation.
    const next = nextTime(expression, createdAt, isOneTime(expression) ? 0 : now - 1);
    this.database.run(
      `INSERT INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (group_name, name) DO UPDATE
       SET definition = excluded.definition, modified_at = excluded.modified_at, next_at = excluded.next_at`,
      ...[schedule.group, schedule.name, schedule.region, JSON.stringify(definition), createdAt, now],
      definition.State === "DISABLED" ? null : next,
    );
  }

  delete(group: string, name: string): boolean {
    return this.database.run("DELETE FROM schedules WHERE group_name = ? AND name = ?", group, name) > 0;
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

  /** When the next schedule or retry is due. */
  nextAt(): number | undefined {
    return (
      this.database.find(
        "SELECT min(at) AS at FROM (SELECT min(next_at) AS at FROM schedules UNION ALL SELECT min(next_at) FROM schedule_retries)",
      )?.at ?? undefined
    );
  }

  listRetries(now: number): Row[] {
    return this.database.list("SELECT * FROM schedule_retries WHERE next_at <= ? ORDER BY next_at LIMIT 100", now);
  }

  putRetry({ scheduleArn, target, input, failures, firedAt, nextAt }: Row): void {
    this.database.run(
      "INSERT INTO schedule_retries (schedule_arn, target, input, failures, fired_at, next_at) VALUES (?, ?, ?, ?, ?, ?)",
      ...[scheduleArn, JSON.stringify(target), input, failures, firedAt, nextAt],
    );
  }

  deleteRetry(id: number): void {
    this.database.run("DELETE FROM schedule_retries WHERE id = ?", id);
  }
}

const scheduleOf = (row: Row): Schedule => ({
  group: row.group_name,
  name: row.name,
  region: row.region,
  definition: JSON.parse(row.definition),
  createdAt: row.created_at,
  modifiedAt: row.modified_at,
  nextAt: row.next_at ?? undefined,
});
