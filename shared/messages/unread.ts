import type { Brief } from "../store/messages.ts";
import type { ReadMarks } from "../store/read-state.ts";
import { isRead } from "./flags.ts";
import type { Reader } from "./reader.ts";

/** Reads messages from an ID on, ascending, at most `limit`. */
export type Ascending<M> = (from: number, limit: number) => Promise<M[]>;

const largestStep = 1000;

/**
 * The unread messages of a run, ascending. Runs of IDs that are marked as read are stepped over without being read; what
 * lies between them is read in growing steps.
 */
export async function* unreadFrom<M extends Brief>(
  reader: Reader,
  marks: ReadMarks,
  read: Ascending<M>,
  from: number,
): AsyncGenerator<M> {
  let next = marks.nextNotRead(from);
  for (let limit = 8; ; limit = Math.min(largestStep, limit * 4)) {
    const messages = await read(next, limit);
    for (const message of messages) if (!isRead(reader, message, marks)) yield message;
    const last = messages.at(-1);
    if (!last || messages.length < limit) return;
    next = marks.nextNotRead(last.id + 1);
  }
}
