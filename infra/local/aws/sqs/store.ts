import { randomUUID } from "node:crypto";
import type { Database, Row } from "../database.ts";
import { AwsError, account } from "../protocol.ts";
import { InMemoryMessages } from "./in-memory-messages.ts";
import { type Queue, queueArn, queueOfRow, queueSchema } from "./queue.ts";
import { QueueWaiters } from "./queue-waiters.ts";

interface NewMessage {
  body: string;
  /** The sender's message attributes in their wire format. */
  attributes?: Record<string, Row> | undefined;
  delaySeconds?: number | undefined;
  sender?: string;
}

const noSuchQueue = () =>
  new AwsError("QueueDoesNotExist", "The specified queue does not exist.", {
    queryCode: "AWS.SimpleQueueService.NonExistentQueue",
  });

/** Four days. */
const defaultRetentionSeconds = 345_600;
/** The shortest retention that SQS allows. */
const minRetentionSeconds = 60;

/** Queues and their messages, on disk or in memory; wakes waiting receivers when a message arrives. */
export class QueueStore {
  readonly database: Database;
  readonly #waiters = new QueueWaiters();
  /** A cache; this process is the only writer of the database. */
  readonly #queues = new Map<string, Queue>();
  /** The messages of queues in use; undefined for a queue whose messages are on disk. */
  readonly #inMemory = new Map<string, InMemoryMessages | undefined>();

  constructor(database: Database) {
    this.database = database;
    database.define(queueSchema);
  }

  findQueue(name: string): Queue | undefined {
    const cached = this.#queues.get(name);
    if (cached) return cached;
    const row = this.database.find("SELECT * FROM queues WHERE name = ?", name);
    const queue = row && queueOfRow(row);
    if (queue) this.#queues.set(name, queue);
    return queue;
  }

  getQueue(name: string): Queue {
    const queue = this.findQueue(name);
    if (!queue) throw noSuchQueue();
    return queue;
  }

  putQueue({ name, region, attributes }: Pick<Queue, "name" | "region" | "attributes">): void {
    const now = Date.now();
    this.#moveToDisk(name);
    this.#queues.delete(name);
    this.database.run(
      `INSERT INTO queues VALUES (?1, ?2, ?3, ?4, ?4)
       ON CONFLICT (name) DO UPDATE SET attributes = excluded.attributes, modified_at = excluded.modified_at`,
      ...[name, region, JSON.stringify(attributes), now],
    );
  }

  deleteQueue(name: string): void {
    this.#queues.delete(name);
    this.#inMemory.delete(name);
    this.database.run("DELETE FROM queues WHERE name = ?", name);
    this.wake(name);
  }

  /** A queue's messages if they are kept in memory; undefined if they are on disk. */
  #inMemoryMessagesOf(name: string): InMemoryMessages | undefined {
    if (this.#inMemory.has(name)) return this.#inMemory.get(name);
    const queue = this.findQueue(name);
    if (!queue) return undefined;
    const { MessageRetentionPeriod, RedrivePolicy } = queue.attributes;
    const isShortLived = Number(MessageRetentionPeriod) === minRetentionSeconds && !RedrivePolicy;
    const onDisk = !isShortLived || this.database.find("SELECT 1 FROM messages WHERE queue = ? LIMIT 1", name);
    const memory = onDisk ? undefined : new InMemoryMessages(minRetentionSeconds * 1000);
    this.#inMemory.set(name, memory);
    return memory;
  }

  /** Moves a queue's messages to disk for good, since only sending and receiving are implemented in memory. */
  #moveToDisk(name: string): void {
    const columns = "id, queue, body, attributes, sender, sent_at, visible_at, received, first_received_at, receipt";
    const memory = this.#inMemoryMessagesOf(name);
    if (!memory) return;
    for (const row of memory.rows)
      this.database.run(
        `INSERT INTO messages (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...columns.split(", ").map((column) => row[column]),
      );
    this.#inMemory.set(name, undefined);
  }

  /** Adds a message and returns its ID; the caller wakes the queue when its transaction is done. */
  append(queue: Queue, { body, attributes = {}, delaySeconds, sender = account }: NewMessage): string {
    const id = randomUUID();
    const now = Date.now();
    const effectiveDelaySeconds = delaySeconds ?? Number(queue.attributes.DelaySeconds ?? 0);
    const [sent_at, visible_at] = [now, now + effectiveDelaySeconds * 1000];
    const memory = this.#inMemoryMessagesOf(queue.name);
    const attributesJson = JSON.stringify(attributes);
    if (memory) {
      memory.append({ id, queue: queue.name, body, attributes: attributesJson, sender, sent_at, visible_at });
      return id;
    }
    this.database.run(
      "INSERT INTO messages (id, queue, body, attributes, sender, sent_at, visible_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...[id, queue.name, body, attributesJson, sender, sent_at, visible_at],
    );
    return id;
  }

  /** Receives up to `limit` visible messages and hides them; moves those received too often to the dead-letter queue. */
  take(queue: Queue, limit: number, hideSeconds: number): Row[] {
    const now = Date.now();
    const memory = this.#inMemoryMessagesOf(queue.name);
    if (memory) return memory.take(limit, hideSeconds);
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
      this.#moveToDisk(deadLetterQueue.name);
      this.database.run(
        `UPDATE messages SET queue = ?, receipt = NULL, visible_at = ?, dead_letter_of = ?
         WHERE queue = ? AND visible_at <= ? AND received >= ?`,
        ...[deadLetterQueue.name, now, queueArn(queue), queue.name, now, Number(maxReceiveCount)],
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
    this.#moveToDisk(queue);
    return this.database.find("SELECT * FROM messages WHERE queue = ? AND id = ?", queue, id);
  }

  /** Deletes the message if `receipt` is its latest one; otherwise another receiver is working on it. */
  deleteMessage(queue: string, id: string, receipt: string): void {
    this.#moveToDisk(queue);
    this.database.run("DELETE FROM messages WHERE queue = ? AND id = ? AND receipt = ?", queue, id, receipt);
  }

  /** Hides a message for some seconds from now; 0 makes it visible. */
  hide(queue: string, id: string, seconds: number): void {
    this.#moveToDisk(queue);
    this.database.run(
      "UPDATE messages SET visible_at = ? WHERE queue = ? AND id = ?",
      Date.now() + seconds * 1000,
      queue,
      id,
    );
    this.wake(queue);
  }

  /** Makes received messages visible again; called at a start, when their receivers have ended. */
  releaseReceived(): void {
    const now = Date.now();
    this.database.run("UPDATE messages SET visible_at = ? WHERE visible_at > ? AND received > 0", now, now);
  }

  /** Counts messages: visible, in flight, and delayed. */
  count(queue: string): { visible: number; inFlight: number; delayed: number } {
    const now = Date.now();
    this.#moveToDisk(queue);
    return this.database.find(
      `SELECT count(*) FILTER (WHERE visible_at <= ?1) AS visible,
              count(*) FILTER (WHERE visible_at > ?1 AND received > 0) AS inFlight,
              count(*) FILTER (WHERE visible_at > ?1 AND received = 0) AS delayed
       FROM messages WHERE queue = ?2`,
      ...[now, queue],
    ) as { visible: number; inFlight: number; delayed: number };
  }

  /** Wakes the receivers that wait for this queue, so that they check it again. */
  wake(queue: string): void {
    this.#waiters.wake(queue);
  }

  /** Resolves when the queue may have a visible message, at the latest at `deadline` or when `disconnected` aborts. */
  async waitForMessages(queue: string, deadline: number, disconnected: AbortSignal): Promise<void> {
    const memory = this.#inMemoryMessagesOf(queue);
    const next = memory
      ? memory.nextAt()
      : this.database.find(
          "SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND visible_at > ?",
          ...[queue, Date.now()],
        )?.at;
    await this.#waiters.wait(queue, Math.min(deadline, next ?? deadline), disconnected);
  }
}
