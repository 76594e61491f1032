import { randomUUID } from "node:crypto";
import type { Row } from "../database.ts";

/**
 * The messages of one queue with a retention of a minute, kept in memory. Losing them in a restart does no harm: their
 * receivers lose their connections too, and check for events when they reconnect.
 */
export class InMemoryMessages {
  readonly #retentionMs: number;
  readonly #rows: Row[] = [];
  #sequence = 0;

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  /** The unexpired messages in the order of their arrival, as rows like those of the table `messages` on disk. */
  get rows(): Row[] {
    const keptSince = Date.now() - this.#retentionMs;
    while (this.#rows[0]?.sent_at < keptSince) this.#rows.shift();
    return this.#rows;
  }

  append(row: Row): void {
    this.rows.push({ ...row, seq: ++this.#sequence, received: 0, first_received_at: null, receipt: null });
  }

  /** Receives up to `maxMessages` visible messages and hides them. */
  take(maxMessages: number, hideSeconds: number): Row[] {
    const now = Date.now();
    const visible = this.rows.filter((row) => row.visible_at <= now);
    const taken = visible.toSorted((a, b) => a.visible_at - b.visible_at || a.seq - b.seq).slice(0, maxMessages);
    for (const row of taken) {
      row.received++;
      row.first_received_at ??= now;
      row.visible_at = now + hideSeconds * 1000;
      row.receipt = randomUUID();
    }
    return taken.toSorted((a, b) => a.seq - b.seq);
  }

  /** When the next hidden message becomes visible, in UNIX milliseconds; undefined if none is hidden. */
  nextAt(): number | undefined {
    const now = Date.now();
    const hidden = this.rows.filter((row) => row.visible_at > now);
    return hidden.length > 0 ? Math.min(...hidden.map((row) => row.visible_at)) : undefined;
  }
}
