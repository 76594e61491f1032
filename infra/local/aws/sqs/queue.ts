import type { Row } from "../database.ts";
import { account } from "../protocol.ts";

export interface Queue {
  name: string;
  region: string;
  attributes: Record<string, string>;
  createdAt: number;
  modifiedAt: number;
}

export const queueOfRow = (row: Row): Queue => ({
  name: row.name,
  region: row.region,
  attributes: JSON.parse(row.attributes),
  createdAt: row.created_at,
  modifiedAt: row.modified_at,
});

export const queueArn = ({ region, name }: Pick<Queue, "region" | "name">) =>
  `arn:aws:sqs:${region}:${account}:${name}`;

/** Queues, and those of their messages that are on disk. */
export const queueSchema = `
  CREATE TABLE IF NOT EXISTS queues (
    name TEXT PRIMARY KEY, region TEXT NOT NULL, attributes TEXT NOT NULL, created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, queue TEXT NOT NULL REFERENCES queues ON DELETE CASCADE,
    body TEXT NOT NULL, attributes TEXT NOT NULL, sender TEXT NOT NULL, sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL,
    received INTEGER NOT NULL DEFAULT 0, first_received_at INTEGER, receipt TEXT, dead_letter_of TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS messages_by_visibility ON messages (queue, visible_at, seq);`;
