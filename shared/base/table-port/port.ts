/**
 * The table as the store sees it: seven calls, described by values. Adapters translate them: `dynamodb/` for DynamoDB, and the host
 * of one machine has its own. Whatever an adapter does, it behaves as DynamoDB: its limits, its order of keys (by UTF-8 bytes), its
 * units, and its errors by their names, which `aws/unavailable.ts` tells apart.
 *
 * Values are plain: a Set is a set of strings, of numbers or of bytes, bytes are a Uint8Array, undefined properties are left out, and a
 * number that a double cannot hold exactly is refused, as is an empty set.
 */

export interface Key {
  pk: string;
  sk: string;
}

export type Item = Key & Record<string, unknown>;

/** A condition on the stored item. A write is made only if all parts of its condition hold. */
export interface Condition {
  exists?: boolean;
  /** Attributes that must have these values; undefined: the attribute must be absent. */
  equals?: Record<string, unknown>;
  /** Sets that must contain a value. */
  contains?: Record<string, unknown>;
  /** Sets that must not contain a value. */
  lacks?: Record<string, unknown>;
  /** Numbers or strings that must be absent or smaller than these. */
  below?: Record<string, number | string>;
  /** Maps that must be absent or have these fields. */
  absentOr?: Record<string, Record<string, string | number>>;
}

/** A change to an item's attributes. An update that names an attribute twice is refused. */
export interface Update {
  set?: Record<string, unknown>;
  /** Sets attributes that are absent: the first writer's value stays, and later writers do not fail. */
  setIfAbsent?: Record<string, unknown>;
  /** Adds numbers to numbers and members to sets. An absent attribute counts as 0 or as an empty set. */
  add?: Record<string, number | Set<unknown>>;
  /** Removes members from sets. */
  subtract?: Record<string, Set<unknown>>;
  remove?: readonly string[];
}

/** A part of a transaction. */
export type TableWrite =
  | { kind: "put"; item: Item; when?: Condition | undefined }
  | { kind: "update"; key: Key; update: Update; when?: Condition | undefined }
  | { kind: "delete"; key: Key; when?: Condition | undefined }
  | { kind: "check"; key: Key; when: Condition };

export type IndexName = "gsi1" | "gsi2" | "gsi3";

/** A range of a partition's items, in the table or in an index. */
export interface KeyRange {
  pk: string;
  index?: IndexName;
  /** Only sort keys with this prefix; without `from` and `to`. */
  prefix?: string;
  /** Sort keys from this one on, inclusive. */
  from?: string;
  /** Sort keys up to this one, inclusive. */
  to?: string;
  descending?: boolean;
  /** Only these attributes of each item. Saves transfer, not read units. */
  fields?: readonly string[];
}

/** Where a query goes on: the keys, in the table and in the index, of the last item that it has read. */
export type PageStart = Readonly<Record<string, unknown>>;

/** The requests of the calls, by the call's name. */
export interface TableRequests {
  get: { key: Key; consistent: boolean };
  /** At most 100 distinct keys. */
  batchGet: { keys: readonly Key[]; consistent: boolean };
  /** A page of at most 1 MB, and at most `limit` items. Only the table's own range can be read consistently. */
  query: KeyRange & { consistent: boolean; limit?: number | undefined; start?: PageStart | undefined };
  update: { key: Key; update: Update; when?: Condition | undefined; returns: "new" | "old" };
  delete: { key: Key; when?: Condition | undefined };
  /** At most 25 writes of distinct items, without conditions; each is made or not. */
  batchWrite: { puts: readonly Item[]; deletes: readonly Key[] };
  /** At most 100 writes of distinct items, all made or none; repeated with the same token within ten minutes, they are made once. */
  transact: { writes: readonly TableWrite[]; token: string };
}

/** What a call consumed, in DynamoDB's units, and how often the adapter repeated it because the table throttled or failed. */
interface Consumed {
  units: number;
  retries?: number;
}

/** The results of the calls, by the call's name. */
export interface TableResults {
  get: Consumed & { item: Item | undefined };
  batchGet: Consumed & { items: Item[]; unprocessed: readonly Key[] };
  /** `next` is undefined after the last page. */
  query: Consumed & { items: Item[]; next: PageStart | undefined };
  /** The item as it is after the update or was before it, as asked. */
  update: Consumed & { item: Item | undefined };
  delete: Consumed;
  batchWrite: Consumed & { unprocessed: TableRequests["batchWrite"] };
  transact: Consumed;
}

export type TableCallName = keyof TableRequests;

export interface CallOptions {
  abortSignal?: AbortSignal;
}

/** An adapter: a function for each call. */
export type Table = {
  [Name in TableCallName]: (request: TableRequests[Name], options?: CallOptions) => Promise<TableResults[Name]>;
};

/** Why a part of a transaction was not made; the code "None" stands for a part that was not the cause. */
export interface CancellationReason {
  Code?: string | undefined;
  Message?: string | undefined;
  /** The stored item, for the code "ConditionalCheckFailed". */
  existing?: Item | undefined;
}

/** Nothing of a transaction was written; there is a reason for each of its writes. */
export interface TransactionCanceled extends Error {
  name: "TransactionCanceledException";
  CancellationReasons: readonly CancellationReason[];
}

// Errors are told apart by their names, as everywhere in the SDK: classes of the port would be a part of every bundle.

/** Whether an update or a deletion was refused because its condition does not hold, or a transaction is writing the item. */
export const isRefusal = (error: unknown): boolean =>
  /^(ConditionalCheckFailed|TransactionConflict)Exception$/.test((error as Error).name);

export const isCanceled = (error: unknown): error is TransactionCanceled =>
  (error as Error).name === "TransactionCanceledException";
