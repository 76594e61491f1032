import { batchesOf } from "../../../base/batches.ts";
import { mapInSlices } from "../../../base/in-slices.ts";
import type { LogEvent } from "../../../base/schema/event-types.ts";
import { recordTopics } from "../../../core/channels/topics.ts";
import { leaseOf, type Subscriber } from "../../../services/jobs/log-consumer.ts";
import { type Cursor, cursors, findCursor, moveCursor } from "../../../store/log/cursors.ts";
import type { LogEntry } from "../../../store/log/entry.ts";
import { findMessages, findMessagesOnce } from "../../../store/messages/messages.ts";
import {
  addSegment,
  deleteRetired,
  type IndexedMessage,
  type Manifest,
  putManifest,
  readManifest,
} from "../../../store/messages/search-index.ts";
import { withConsistentReads } from "../../../store/table/consistency.ts";
import { withLease } from "../../../store/table/leases.ts";
import { transact } from "../../../store/table/transactions.ts";
import { indexTerms } from "./index-terms.ts";

/** How many new and changed messages are collected before they are indexed. Searches read these messages themselves. */
const minPerSegment = 32;
/** So that the words of many long messages fit into memory. */
const maxPerSegment = 128;
/** So that a step takes seconds at most. The next step continues: with the entries, or with an index that is built anew. */
const maxPerStep = 2048;

/**
 * Updates the search index and the topics' records from the log. Searches read the messages that are newer than the last indexed
 * one, or that have changed since they were indexed. The subscriber must never skip an entry: a search would not find a message
 * whose change was skipped.
 */
export const searchIndex: Subscriber = {
  name: "search index",
  cursor: cursors.search,
  startsAt: "start",
  skipsExpired: false,
  events: ["message", "update_message", "delete_message"],
  step: async (entries, { message: newestRecorded = 0 }) => {
    const processed = withFewChanges(entries);
    const last = processed.at(-1);
    const events = processed.flatMap(({ event }) => event ?? []);
    const newIds = events.flatMap((event) => (event.type === "message" ? [event.message_id] : []));
    const newest = Math.max(newestRecorded, ...newIds);
    const [manifest] = await Promise.all([readManifest(), recordNewTopics(newIds)]);
    const updated = await updateIndex(manifest, events.flatMap(changedIds), newest);
    return {
      ...(last && processed.length < entries.length && { upTo: last.sequence }),
      cursorAttributes: { message: newest },
      ...(updated !== manifest && { writes: [putManifest(updated)] }),
    };
  },
};

const isBehind = ({ indexedTo }: Manifest, { message = 0 }: Cursor) => message - indexedTo >= minPerSegment;

/** Whether messages that the subscriber has passed are not in the index. 1.5 read units. */
export async function isIndexBehind(): Promise<boolean> {
  const [cursor, manifest] = await Promise.all([findCursor(cursors.search), readManifest()]);
  return cursor !== undefined && isBehind(manifest, cursor);
}

/**
 * Indexes some of the messages that the subscriber has passed; returns whether there are more. Does nothing while a worker of the log
 * holds the lease, because that one indexes them. The lease is taken for this step only, so that such a worker need not wait.
 */
export async function indexMore(): Promise<boolean> {
  let hasMore = false;
  await withLease(leaseOf(searchIndex), async (leaseHeld, item) => {
    const cursor = item as Cursor;
    const manifest = await readManifest();
    if (!isBehind(manifest, cursor)) return undefined;
    const updated = await updateIndex(manifest, [], cursor.message ?? 0);
    const after = { sequence: cursor.sequence ?? 0, leasedUntil: 0 };
    await moveCursor(cursors.search, cursor, after, leaseHeld, [putManifest(updated)]);
    hasMore = isBehind(updated, cursor);
    return { isReleased: true };
  });
  return hasMore;
}

/**
 * Indexes the messages up to an ID without the log, in steps: for an organization that nobody uses yet. It can be interrupted and
 * repeated. Calls `report` with the ID up to which messages are indexed.
 */
export async function indexUpTo(newest: number, report: (indexedTo: number) => void = () => {}): Promise<void> {
  let manifest = await readManifest();
  for (;;) {
    // In segments as large as a step, so that they need not be merged before: a process of an operator has the memory.
    // Imported messages have no entries in the log, which would name those that were written just now.
    const before = manifest;
    const updated = await withConsistentReads(() => updateIndex(before, [], newest, maxPerStep));
    if (updated === manifest) return;
    await transact([putManifest(updated)]);
    manifest = updated;
    report(manifest.indexedTo);
  }
}

/** The first entries, at least one, which together change at most `maxPerStep` messages. */
function withFewChanges(entries: readonly LogEntry[]): readonly LogEntry[] {
  let changes = 0;
  const end = entries.findIndex(({ event }, index) => {
    changes += event ? changedIds(event).length : 0;
    return index > 0 && changes > maxPerStep;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

const changedIds = (event: LogEvent): readonly number[] =>
  event.type === "update_message" || event.type === "delete_message" ? event.message_ids : [];

async function recordNewTopics(ids: readonly number[]): Promise<void> {
  const found = await findMessagesOnce(ids);
  await recordTopics(found.filter((message) => message !== undefined));
}

/** The manifest with what has changed, or the same manifest if nothing has. */
async function updateIndex(
  before: Manifest,
  changedIds: readonly number[],
  newest: number,
  perSegment = maxPerSegment,
): Promise<Manifest> {
  const changedNow = changedIds.filter((id) => id <= before.indexedTo);
  const changed = [...new Set([...before.changed, ...changedNow])].sort((a, b) => a - b);
  if (changed.length + newest - before.indexedTo < minPerSegment)
    return changedNow.length > 0 ? { ...before, changed } : before;
  const indexedTo = Math.min(newest, before.indexedTo + maxPerStep);
  // IDs of messages are consecutive.
  const added = Array.from({ length: indexedTo - before.indexedTo }, (_, index) => before.indexedTo + 1 + index);
  let manifest = await deleteRetired(before);
  for (const ids of batchesOf([...changed, ...added], perSegment))
    manifest = await addSegment(manifest, await readForIndex(ids));
  return { ...manifest, indexedTo, changed: [] };
}

async function readForIndex(ids: readonly number[]): Promise<IndexedMessage[]> {
  const found = await findMessages(ids);
  const byId = new Map(found.map((message) => [message?.id, message]));
  return mapInSlices(ids, (id) => {
    const message = byId.get(id);
    if (!message) return { posting: { id }, words: [] };
    const { channelId, userIds } = message;
    return { posting: { id, channelId, userIds }, words: indexTerms(message) };
  });
}
