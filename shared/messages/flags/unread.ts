import type { MessageSummary } from "../../store/messages/messages.ts";
import type { ReadMarks } from "../../store/messages/read-state.ts";
import type { Reader } from "../reader.ts";
import { isRead } from "./flags.ts";

/** Reads messages from an ID on, ascending, at most `limit`. */
export type ReadAscending<M> = (from: number, limit: number) => Promise<M[]>;

const firstBatchMessages = 8;
const maxBatchMessages = 1000;

/**
 * Yields unread messages in ascending order. Skips ranges that are marked as read without fetching them, and fetches
 * the rest in batches of increasing size.
 */
export async function* unreadFrom<M extends MessageSummary>(
  reader: Reader,
  marks: ReadMarks,
  read: ReadAscending<M>,
  from: number,
): AsyncGenerator<M> {
  let next = marks.nextNotRead(from);
  for (let limit = firstBatchMessages; ; limit = Math.min(maxBatchMessages, limit * 4)) {
    const messages = await read(next, limit);
    for (const message of messages) if (!isRead(reader, message, marks)) yield message;
    const last = messages.at(-1);
    if (!last || messages.length < limit) return;
    next = marks.nextNotRead(last.id + 1);
  }
}
