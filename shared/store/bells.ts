import { queryItems } from "./queries.ts";
import { deleteItem, updateItem } from "./transactions.ts";
import { create, type Key, update, type Write } from "./writes.ts";

/** What is known of a bell beside its event queue, in one partition, so that whoever rings reads all of them at once. */
export interface Bell {
  queueId: string;
  userId: number;
  /** UNIX seconds from which on the queue may have expired. */
  dueAt: number;
  /** Absent: all types. */
  eventTypes?: string[];
  /** The channels whose events concern it; absent for a queue that hears others too: all. */
  channelIds?: Set<number>;
}

const key = (queueId: string): Key => ({ pk: "BELLS", sk: queueId });

/** No set is stored empty: no channel at all is one that does not exist. */
const stored = (channelIds: ReadonlySet<number>) => (channelIds.size > 0 ? channelIds : new Set([0]));

/** 2 write units for each KB. */
export const putBell = ({ channelIds, ...bell }: Bell): Write =>
  create({ ...key(bell.queueId), ...bell, ...(channelIds && { channelIds: stored(channelIds) }) });

/** The channels that it is to ring for from now on. */
export const moveBell = (queueId: string, channelIds: ReadonlySet<number>): Write =>
  update(key(queueId), { set: { channelIds: stored(channelIds) } }, { exists: true });

/** 1 write unit. */
export const postponeBell = (queueId: string, dueAt: number) => updateItem(key(queueId), { set: { dueAt } });

/** 1 write unit; one that is gone already is no error. */
export const deleteBell = (queueId: string): Promise<void> => deleteItem(key(queueId));

/** All bells, as they are at this moment; 1 read unit for each 4 KB: about twenty. */
export const listBells = (): Promise<Bell[]> => queryItems<Bell>({ pk: "BELLS", consistent: true });
