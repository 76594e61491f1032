import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import type { Database, Row } from "../database.ts";
import { AwsError } from "../error.ts";
import { account, region } from "../names.ts";

export interface Queue {
  name: string;
  attributes: Record<string, string>;
}

/** Nothing is at this address: the queues are in this process. */
export const queueUrl = (name: string) => `http://sqs.localhost/${account}/${name}`;
export const queueArn = (name: string) => `arn:aws:sqs:${region}:${account}:${name}`;

const schema = `
  CREATE TABLE IF NOT EXISTS queues (
    name TEXT PRIMARY KEY, region TEXT NOT NULL, attributes TEXT NOT NULL, created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, queue TEXT NOT NULL REFERENCES queues ON DELETE CASCADE,
    body TEXT NOT NULL, attributes TEXT NOT NULL, sender TEXT NOT NULL, sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL,
    received INTEGER NOT NULL DEFAULT 0, first_received_at INTEGER, receipt TEXT, dead_letter_of TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS messages_by_visibility ON messages (queue, visible_at, seq);`;

/** Four days. */
const defaultRetentionSeconds = 345_600;

/** Queues and their messages on disk; wakes waiting receivers when a message arrives. */
export class QueueStore {
  readonly database: Database;
  /** Emits the name of a queue whose receivers shall check it again. */
  readonly #wakes = new EventEmitter().setMaxListeners(0);
  /** A cache; this process is the only writer of the database. */
  readonly #queues = new Map<string, Queue>();

  constructor(database: Database) {
    this.database = database;
    database.define(schema);
  }

  findQueue(name: string): Queue | undefined {
    const cached = this.#queues.get(name);
    if (cached) return cached;
    const row = this.database.find("SELECT * FROM queues WHERE name = ?", name);
    if (!row) return undefined;
    const queue = { name, attributes: JSON.parse(row.attributes) };
    this.#queues.set(name, queue);
    return queue;
  }

  getQueue(name: string): Queue {
    const queue = this.findQueue(name);
    if (!queue) throw new AwsError("QueueDoesNotExist", "The specified queue does not exist.");
    return queue;
  }

  putQueue(name: string, attributes: Record<string, string>): void {
    this.#queues.delete(name);
    this.database.run(
      `INSERT INTO queues VALUES (?1, ?2, ?3, ?4, ?4)
       ON CONFLICT (name) DO UPDATE SET attributes = excluded.attributes, modified_at = excluded.modified_at`,
      ...[name, region, JSON.stringify(attributes), Date.now()],
    );
  }

  deleteQueue(name: string): void {
    this.#queues.delete(name);
    this.database.run("DELETE FROM queues WHERE name = ?", name);
    this.wake(name);
  }

  /** Adds a message and returns its ID; the caller wakes the queue when its transaction is done. */
  append(queue: Queue, body: string, delaySeconds = 0): string {
    const id = randomUUID();
    const now = Date.now();
    this.database.run(
      "INSERT INTO messages (id, queue, body, attributes, sender, sent_at, visible_at) VALUES (?, ?, ?, '{}', ?, ?, ?)",
      ...[id, queue.name, body, account, now, now + delaySeconds * 1000],
    );
    return id;
  }

  /** Receives up to `limit` visible messages and hides them; moves those received too often to the dead-letter queue. */
  take(queue: Queue, limit: number, hideSeconds: number): Row[] {
    const now = Date.now();
    const { oldest, highestReceiveCount } = this.database.find(
      "SELECT min(sent_at) AS oldest, max(received) AS highestReceiveCount FROM messages WHERE queue = ? AND visible_at <= ?",
      ...[queue.name, now],
    ) as Row;
    // Fast path: most polls find an empty queue.
    if (oldest === null) return [];
    const keptSince = now - Number(queue.attributes.MessageRetentionPeriod ?? defaultRetentionSeconds) * 1000;
    if (oldest < keptSince)
      this.database.run("DELETE FROM messages WHERE queue = ? AND sent_at < ?", queue.name, keptSince);
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(queue.attributes.RedrivePolicy || "{}");
    const deadLetterQueue = deadLetterTargetArn && this.findQueue(deadLetterTargetArn.split(":").at(-1));
    if (deadLetterQueue && highestReceiveCount >= Number(maxReceiveCount)) {
      this.database.run(
        `UPDATE messages SET queue = ?, receipt = NULL, visible_at = ?, dead_letter_of = ?
         WHERE queue = ? AND visible_at <= ? AND received >= ?`,
        ...[deadLetterQueue.name, now, queueArn(queue.name), queue.name, now, Number(maxReceiveCount)],
      );
      this.wake(deadLetterQueue.name);
    }
    const taken = this.database.list(
      `UPDATE messages SET received = received + 1, first_received_at = coalesce(first_received_at, ?1),
       visible_at = ?2, receipt = lower(hex(randomblob(16))) WHERE seq IN
       (SELECT seq FROM messages WHERE queue = ?3 AND visible_at <= ?1 ORDER BY visible_at, seq LIMIT ?4) RETURNING *`,
      ...[now, now + hideSeconds * 1000, queue.name, limit],
    );
    return taken.sort((a, b) => a.seq - b.seq);
  }

  findMessage(queue: string, id: string): Row | undefined {
    return this.database.find("SELECT * FROM messages WHERE queue = ? AND id = ?", queue, id);
  }

  /** Deletes the message if `receipt` is its latest one; otherwise another receiver is working on it. */
  deleteMessage(queue: string, id: string, receipt: string): void {
    this.database.run("DELETE FROM messages WHERE queue = ? AND id = ? AND receipt = ?", queue, id, receipt);
  }

  /** Hides a message for some seconds from now; 0 makes it visible. */
  hide(queue: string, id: string, seconds: number): void {
    const visibleAt = Date.now() + seconds * 1000;
    this.database.run("UPDATE messages SET visible_at = ? WHERE queue = ? AND id = ?", visibleAt, queue, id);
    this.wake(queue);
  }

  /** Makes received messages visible again; called at a start, when their receivers have ended. */
  releaseReceived(): void {
    const now = Date.now();
    this.database.run("UPDATE messages SET visible_at = ? WHERE visible_at > ? AND received > 0", now, now);
  }

  /** Counts messages: visible, in flight, and delayed. */
  count(queue: string): { visible: number; inFlight: number; delayed: number } {
    return this.database.find(
      `SELECT count(*) FILTER (WHERE visible_at <= ?1) AS visible,
              count(*) FILTER (WHERE visible_at > ?1 AND received > 0) AS inFlight,
              count(*) FILTER (WHERE visible_at > ?1 AND received = 0) AS delayed
       FROM messages WHERE queue = ?2`,
      ...[Date.now(), queue],
    ) as { visible: number; inFlight: number; delayed: number };
  }

  /** Wakes the receivers that wait for this queue, so that they check it again. */
  wake(queue: string): void {
    this.#wakes.emit(queue);
  }

  /** Resolves when the queue may have a visible message, at the latest at `deadline` or when `disconnected` aborts. */
  waitForMessages(queue: string, deadline: number, disconnected: AbortSignal): Promise<void> {
    const now = Date.now();
    const next = this.database.find(
      "SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND visible_at > ?",
      ...[queue, now],
    )?.at;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wakes.off(queue, done);
        disconnected.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, Math.min(deadline, next ?? deadline) - now));
      this.#wakes.on(queue, done);
      disconnected.addEventListener("abort", done);
      if (disconnected.aborted) done();
    });
  }
}
