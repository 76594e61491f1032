import { queryItems } from "../table/queries.ts";
import { deleteItem, updateItem } from "../table/single-writes.ts";
import { create, type Key, update, type Write } from "../table/writes.ts";

/** Records which events wake an event queue's client. All records share a partition, so that one query reads them. */
export interface WakeUpQueueRecord {
  queueId: string;
  userId: number;
  /** UNIX seconds at which a sweep checks whether the event queue has expired. */
  dueAt: number;
  /** Absent: all types. */
  eventTypes?: string[];
  /** The channels whose events wake the client; absent (all) for a queue that receives more than its owner's channels. */
  channelIds?: Set<number>;
}

const partition = "WAKEUPQUEUES";
const key = (queueId: string): Key => ({ pk: partition, sk: queueId });

/** DynamoDB stores no empty set: the ID 0, which no channel has, stands for it. */
const nonEmpty = (channelIds: ReadonlySet<number>) => (channelIds.size > 0 ? channelIds : new Set([0]));

/** 2 write units for each KB. */
export const putWakeUpQueueRecord = ({ channelIds, ...rest }: WakeUpQueueRecord): Write =>
  create({ ...key(rest.queueId), ...rest, ...(channelIds && { channelIds: nonEmpty(channelIds) }) });

export const setWakeUpChannels = (queueId: string, channelIds: ReadonlySet<number>): Write =>
  update(key(queueId), { set: { channelIds: nonEmpty(channelIds) } }, { exists: true });

/** 1 write unit. */
export const postponeWakeUpQueueSweep = (queueId: string, dueAt: number) =>
  updateItem(key(queueId), { set: { dueAt } });

/** Idempotent; 1 write unit. */
export const deleteWakeUpQueueRecord = (queueId: string): Promise<void> => deleteItem(key(queueId));

/** 1 read unit for each 4 KB: about twenty records. */
export const listWakeUpQueueRecords = (): Promise<WakeUpQueueRecord[]> =>
  queryItems<WakeUpQueueRecord>({ pk: partition });
