import { createHash } from "node:crypto";
import { getItem, queryItems } from "../table/reads.ts";
import { deleteItem, updateIf, updateItem } from "../table/single-writes.ts";
import { type Key, put, update, type Write } from "../table/writes.ts";

/** Records which events concern an event queue's client. All records share a partition, so that one query reads them. */
export interface WakeUpQueueRecord {
  queueId: string;
  userId: number;
  /** UNIX seconds at which a sweep checks whether the event queue has expired. */
  dueAt: number;
  /** Absent: all types. A record that was read may include a type that the queue does not have. */
  eventTypes?: Pick<readonly string[], "includes">;
  /** The channels whose events wake the client; absent (all) for a queue that receives more than its owner's channels. */
  channelIds?: Set<number>;
  /** The WebSocket connection to which the client's events are posted. Absent: the client is woken at its wake-up queue, if any. */
  connectionId?: string;
}

/** Each change of the log reads all records, so they are short: types are stored as hashes, and the key is the queue's ID. */
interface StoredRecord extends Key, Omit<WakeUpQueueRecord, "queueId" | "eventTypes"> {
  types?: Uint8Array;
}

const partition = "WAKEUPQUEUES";
const key = (queueId: string): Key => ({ pk: partition, sk: queueId });

const hashBytes = 2;
const hashOf = (type: string): Buffer => createHash("sha256").update(type).digest().subarray(0, hashBytes);

/** The event types of a record, of which only hashes are stored. */
class HashedTypes {
  /** The hashes of the types that were looked for, which the code names. */
  static readonly #hashes = new Map<string, Buffer>();
  readonly #stored: Uint8Array;

  constructor(stored: Uint8Array) {
    this.#stored = stored;
  }

  includes(type: string): boolean {
    const hash = HashedTypes.#hashes.get(type) ?? hashOf(type);
    HashedTypes.#hashes.set(type, hash);
    for (let at = 0; at < this.#stored.length; at += hashBytes)
      if (hash.equals(this.#stored.subarray(at, at + hashBytes))) return true;
    return false;
  }
}

const fromItem = ({ pk, sk: queueId, types, ...rest }: StoredRecord): WakeUpQueueRecord => ({
  ...rest,
  queueId,
  ...(types && { eventTypes: new HashedTypes(types) }),
});

/** DynamoDB stores no empty set: the ID 0, which no channel has, stands for it. */
const nonEmpty = (channelIds: ReadonlySet<number>) => (channelIds.size > 0 ? channelIds : new Set([0]));

/** 2 write units for each KB. */
export const putWakeUpQueueRecord = ({
  queueId,
  eventTypes,
  channelIds,
  ...rest
}: WakeUpQueueRecord & { eventTypes?: readonly string[] }): Write =>
  put({
    ...key(queueId),
    ...rest,
    ...(eventTypes && { types: Buffer.concat(eventTypes.map(hashOf)) }),
    ...(channelIds && { channelIds: nonEmpty(channelIds) }),
  });

export async function findWakeUpQueueRecord(queueId: string): Promise<WakeUpQueueRecord | undefined> {
  const found = await getItem<StoredRecord>(key(queueId));
  return found && fromItem(found);
}

/** Names the connection to which events are posted; its transaction fails when the record was deleted. */
export const setRecordConnection = (queueId: string, connectionId: string): Write =>
  update(key(queueId), { set: { connectionId } }, { exists: true });

/** Removes a connection from its record, unless another one has replaced it: 1 write unit. */
export const removeRecordConnection = (queueId: string, connectionId: string): Promise<boolean> =>
  updateIf(key(queueId), { remove: ["connectionId"] }, { equals: { connectionId } });

export const setWakeUpChannels = (queueId: string, channelIds: ReadonlySet<number>): Write =>
  update(key(queueId), { set: { channelIds: nonEmpty(channelIds) } }, { exists: true });

export const postponeWakeUpQueueSweep = (queueId: string, dueAt: number) =>
  updateItem(key(queueId), { set: { dueAt } });

/** Idempotent; 1 write unit. */
export const deleteWakeUpQueueRecord = (queueId: string): Promise<void> => deleteItem(key(queueId));

/** 1 read unit for each 4 KB: about thirty records of ten channels. */
export const listWakeUpQueueRecords = async (): Promise<WakeUpQueueRecord[]> =>
  (await queryItems<StoredRecord>({ pk: partition })).map(fromItem);
