import { randomUUID } from "node:crypto";
import type { Database, Row } from "../database.ts";
import { AwsError, account } from "../protocol.ts";
import { Arrivals } from "./arrivals.ts";
import { PassingMessages } from "./passing-messages.ts";
import { type Queue, queueArn, queueOf, queueSchema } from "./queue.ts";

export interface NewMessage {
  body: string;
  /** The sender's message attributes, as on the wire. */
  attributes?: Record<string, Row> | undefined;
  delaySeconds?: number | undefined;
  sender?: string;
}

const noSuchQueue = () =>
  new AwsError("QueueDoesNotExist", "The specified queue does not exist.", {
    queryCode: "AWS.SimpleQueueService.NonExistentQueue",
  });

/** Seconds: the least time for which a queue can keep its messages. */
const shortestRetention = 60;

/** Queues and their messages, on disk or passing; tells waiting receivers when a message comes. */
export class QueueStore {
  readonly database: Database;
  readonly #arrivals = new Arrivals();
  /** Those that were looked for; nobody else writes to the database. */
  readonly #queues = new Map<string, Queue>();
  /** Of the queues that were used; undefined for one whose messages are on disk. */
  readonly #passing = new Map<string, PassingMessages | undefined>();

  constructor(database: Database) {
    this.database = database;
    database.define(queueSchema);
  }

  findQueue(name: string): Queue | undefined {
    const known = this.#queues.get(name);
    if (known) return known;
    const row = this.database.find("SELECT * FROM queues WHERE name = ?", name);
    const queue = row && queueOf(row);
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
    this.#settle(name);
    this.#queues.delete(name);
    this.database.run(
      `INSERT INTO queues VALUES (?1, ?2, ?3, ?4, ?4)
       ON CONFLICT (name) DO UPDATE SET attributes = excluded.attributes, modified_at = excluded.modified_at`,
      ...[name, region, JSON.stringify(attributes), now],
    );
  }

  deleteQueue(name: string): void {
    this.#queues.delete(name);
    this.#passing.delete(name);
    this.database.run("DELETE FROM queues WHERE name = ?", name);
    this.wake(name);
  }

  /** Where a queue's messages lie if not on disk. */
  #memoryOf(name: string): PassingMessages | undefined {
    if (this.#passing.has(name)) return this.#passing.get(name);
    const queue = this.findQueue(name);
    if (!queue) return undefined;
    const { MessageRetentionPeriod, RedrivePolicy } = queue.attributes;
    const passes = Number(MessageRetentionPeriod) === shortestRetention && !RedrivePolicy;
    const onDisk = !passes || this.database.find("SELECT 1 FROM messages WHERE queue = ? LIMIT 1", name);
    const memory = onDisk ? undefined : new PassingMessages(shortestRetention * 1000);
    this.#passing.set(name, memory);
    return memory;
  }

  /** From now on the queue's messages lie on disk: what is more than to send and to receive is asked of them there. */
  #settle(name: string): void {
    const columns = "id, queue, body, attributes, sender, sent_at, visible_at, received, first_received_at, receipt";
    const memory = this.#memoryOf(name);
    if (!memory) return;
    for (const row of memory.rows)
      this.database.run(
        `INSERT INTO messages (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...columns.split(", ").map((column) => row[column]),
      );
    this.#passing.set(name, undefined);
  }

  /** Adds a message and returns its ID; the caller wakes the queue when its transaction is done. */
  append(queue: Queue, { body, attributes = {}, delaySeconds, sender = account }: NewMessage): string {
    const id = randomUUID();
    const now = Date.now();
    const delay = delaySeconds ?? Number(queue.attributes.DelaySeconds ?? 0);
    const [sent_at, visible_at] = [now, now + delay * 1000];
    const [memory, kept] = [this.#memoryOf(queue.name), JSON.stringify(attributes)];
    if (memory) {
      memory.append({ id, queue: queue.name, body, attributes: kept, sender, sent_at, visible_at });
      return id;
    }
    this.database.run(
      "INSERT INTO messages (id, queue, body, attributes, sender, sent_at, visible_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...[id, queue.name, body, kept, sender, sent_at, visible_at],
    );
    return id;
  }

  /** Takes up to `limit` visible messages and hides them; those received too often go to the dead-letter queue instead. */
  take(queue: Queue, limit: number, hideSeconds: number): Row[] {
    const now = Date.now();
    const memory = this.#memoryOf(queue.name);
    if (memory) return memory.take(limit, hideSeconds);
    const { oldest, most } = this.database.find(
      "SELECT min(sent_at) AS oldest, max(received) AS most FROM messages WHERE queue = ? AND visible_at <= ?",
      ...[queue.name, now],
    ) as Row;
    // Most receivers wait at a queue that is empty.
    if (oldest === null) return [];
    const keptSince = now - Number(queue.attributes.MessageRetentionPeriod ?? 345_600) * 1000;
    if (oldest < keptSince)
      this.database.run("DELETE FROM messages WHERE queue = ? AND sent_at < ?", queue.name, keptSince);
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(queue.attributes.RedrivePolicy || "{}");
    const deadLetterQueue = deadLetterTargetArn && this.findQueue(deadLetterTargetArn.split(":").at(-1));
    if (deadLetterQueue && most >= Number(maxReceiveCount)) {
      this.#settle(deadLetterQueue.name);
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
    this.#settle(queue);
    return this.database.find("SELECT * FROM messages WHERE queue = ? AND id = ?", queue, id);
  }

  /** Deletes what was received under `receipt`; a later receipt keeps the message, as its receiver answers for it now. */
  deleteMessage(queue: string, id: string, receipt: string): void {
    this.#settle(queue);
    this.database.run("DELETE FROM messages WHERE queue = ? AND id = ? AND receipt = ?", queue, id, receipt);
  }

  hide(queue: string, id: string, seconds: number): void {
    this.#settle(queue);
    this.database.run(
      "UPDATE messages SET visible_at = ? WHERE queue = ? AND id = ?",
      Date.now() + seconds * 1000,
      queue,
      id,
    );
    this.wake(queue);
  }

  /** Makes every message visible that was received and is still hidden: whoever received it is known to be gone. */
  releaseReceived(): void {
    const now = Date.now();
    this.database.run("UPDATE messages SET visible_at = ? WHERE visible_at > ? AND received > 0", now, now);
  }

  /** Counts messages: visible, received and not yet deleted, and not yet visible for the first time. */
  count(queue: string): { visible: number; inFlight: number; delayed: number } {
    const now = Date.now();
    this.#settle(queue);
    return this.database.find(
      `SELECT count(*) FILTER (WHERE visible_at <= ?1) AS visible,
              count(*) FILTER (WHERE visible_at > ?1 AND received > 0) AS inFlight,
              count(*) FILTER (WHERE visible_at > ?1 AND received = 0) AS delayed
       FROM messages WHERE queue = ?2`,
      ...[now, queue],
    ) as { visible: number; inFlight: number; delayed: number };
  }

  /** Tells those who wait for a message in this queue to look again. */
  wake(queue: string): void {
    this.#arrivals.wake(queue);
  }

  /** Resolves when the queue may have a visible message, at the latest at `deadline` or when `gone` aborts. */
  async change(queue: string, deadline: number, gone: AbortSignal): Promise<void> {
    const memory = this.#memoryOf(queue);
    const next = memory
      ? memory.nextAt()
      : this.database.find(
          "SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND visible_at > ?",
          ...[queue, Date.now()],
        )?.at;
    await this.#arrivals.next(queue, Math.min(deadline, next ?? deadline), gone);
  }
}
