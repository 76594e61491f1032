import { queryItems } from "../table/queries.ts";
import { deleteItem, updateIf, updateItem } from "../table/single-writes.ts";
import { getItem } from "../table/table.ts";
import { type Key, put, update, type Write } from "../table/writes.ts";

/** Records which events concern an event queue's client. All records share a partition, so that one query reads them. */
export interface WakeUpQueueRecord {
  queueId: string;
  userId: number;
  /** UNIX seconds at which a sweep checks whether the event queue has expired. */
  dueAt: number;
  /** Absent: all types. */
  eventTypes?: string[];
  /** The channels whose events wake the client; absent (all) for a queue that receives more than its owner's channels. */
  channelIds?: Set<number>;
  /** The WebSocket connection to which the client's events are posted. Absent: the client is woken at its wake-up queue, if any. */
  connectionId?: string;
}

const partition = "WAKEUPQUEUES";
const key = (queueId: string): Key => ({ pk: partition, sk: queueId });

/** The sort key is the queue's ID, which is not stored twice: the notifier reads all records for each event. */
type StoredRecord = Omit<WakeUpQueueRecord, "queueId"> & Key;
const recordOf = ({ sk, ...rest }: StoredRecord): WakeUpQueueRecord => ({ ...rest, queueId: sk });

/** DynamoDB stores no empty set: the ID 0, which no channel has, stands for it. */
const nonEmpty = (channelIds: ReadonlySet<number>) => (channelIds.size > 0 ? channelIds : new Set([0]));

/** 2 write units for each KB. */
export const putWakeUpQueueRecord = ({ queueId, channelIds, ...rest }: WakeUpQueueRecord): Write =>
  put({ ...key(queueId), ...rest, ...(channelIds && { channelIds: nonEmpty(channelIds) }) });

/** 1 read unit. */
export async function findWakeUpQueueRecord(queueId: string): Promise<WakeUpQueueRecord | undefined> {
  const stored = await getItem<StoredRecord>(key(queueId));
  return stored && recordOf(stored);
}

/** Names the connection to which events are posted; its transaction fails when the record was deleted. */
export const setRecordConnection = (queueId: string, connectionId: string): Write =>
  update(key(queueId), { set: { connectionId } }, { exists: true });

/** Removes a connection from its record, unless another one has replaced it: 1 write unit. */
export const removeRecordConnection = (queueId: string, connectionId: string): Promise<boolean> =>
  updateIf(key(queueId), { remove: ["connectionId"] }, { equals: { connectionId } });

export const setWakeUpChannels = (queueId: string, channelIds: ReadonlySet<number>): Write =>
  update(key(queueId), { set: { channelIds: nonEmpty(channelIds) } }, { exists: true });

/** 1 write unit. */
export const postponeWakeUpQueueSweep = (queueId: string, dueAt: number) =>
  updateItem(key(queueId), { set: { dueAt } });

/** Idempotent; 1 write unit. */
export const deleteWakeUpQueueRecord = (queueId: string): Promise<void> => deleteItem(key(queueId));

/** 1 read unit for each 4 KB: about twenty records. */
export const listWakeUpQueueRecords = async (): Promise<WakeUpQueueRecord[]> =>
  (await queryItems<StoredRecord>({ pk: partition })).map(recordOf);
