import { randomUUID } from "node:crypto";
import type { Row } from "../database.ts";

/**
 * The messages of one queue that keeps them for a minute, in memory: those who wait for so short-lived a message lose their
 * connection when this process ends, and must look for themselves when they come back.
 */
export class PassingMessages {
  readonly #retentionMs: number;
  readonly #rows: Row[] = [];
  #sequence = 0;

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  /** Those that are to be kept yet, in the order of their arrival, with the columns that other queues' messages have on disk. */
  get rows(): Row[] {
    const keptSince = Date.now() - this.#retentionMs;
    while (this.#rows[0]?.sent_at < keptSince) this.#rows.shift();
    return this.#rows;
  }

  append(row: Row): void {
    this.rows.push({ ...row, seq: ++this.#sequence, received: 0, first_received_at: null, receipt: null });
  }

  /** Takes up to `limit` visible messages and hides them. */
  take(limit: number, hideSeconds: number): Row[] {
    const now = Date.now();
    const visible = this.rows.filter((row) => row.visible_at <= now);
    const taken = visible.toSorted((a, b) => a.visible_at - b.visible_at || a.seq - b.seq).slice(0, limit);
    for (const row of taken) {
      row.received++;
      row.first_received_at ??= now;
      row.visible_at = now + hideSeconds * 1000;
      row.receipt = randomUUID();
    }
    return taken.toSorted((a, b) => a.seq - b.seq);
  }

  /** UNIX milliseconds at which the next hidden message is to be seen. */
  nextAt(): number | undefined {
    const now = Date.now();
    const hidden = this.rows.filter((row) => row.visible_at > now);
    return hidden.length > 0 ? Math.min(...hidden.map((row) => row.visible_at)) : undefined;
  }
}
