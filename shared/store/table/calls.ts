import { Unavailable } from "../../base/aws/unavailable.ts";
import { batchesOf } from "../../base/batches.ts";
import { currentTrace } from "../../base/observability/trace.ts";
import type { KeyRange, PageStart } from "../../base/table-port/port.ts";
import { batchGet, get, query } from "./client.ts";
import { backOff } from "./retries.ts";
import type { Item, Key } from "./writes.ts";

export type { KeyRange };

/** Capacity accounting, and plain reads of the table: strongly or eventually consistent, as the caller says. */

export function recordUnits(kind: "readUnits" | "writeUnits", units: number): void {
  const trace = currentTrace();
  if (trace) trace[kind] += units;
}

/** DynamoDB rejects requests with other keys. Clients may send names of any length, for which no item can exist. */
export const isValidKey = ({ pk, sk }: Key) => pk !== "" && sk !== "" && hasValidLength({ pk, sk });
const hasValidLength = ({ pk, sk }: Key) => Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024;

/** DynamoDB's limit for one call. */
const batchSize = 100;

/**
 * The existing items among any number of distinct keys, in no particular order; `batchSize` in a call, the calls in parallel. Each
 * costs 0.5 read units for each 4 KB begun, or 1 when consistent.
 */
export async function fetchItems(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
  const calls = [...batchesOf(keys, batchSize)].map((batch) =>
    batch.length === 1 ? fetchOne(batch[0] as Key, consistent) : fetchBatch(batch, consistent),
  );
  return (await Promise.all(calls)).flat();
}

async function fetchOne(key: Key, consistent: boolean): Promise<Item[]> {
  const { item, units } = await get({ key, consistent });
  recordUnits("readUnits", units);
  return item ? [item] : [];
}

async function fetchBatch(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
  const items: Item[] = [];
  let remainingKeys = keys;
  for (let attempt = 0; remainingKeys.length > 0; attempt++) {
    if (attempt > 0 && !(await backOff(attempt)))
      throw new Unavailable(`DynamoDB left keys unprocessed in ${attempt} attempts`);
    const page = await batchGet({ keys: remainingKeys, consistent });
    recordUnits("readUnits", page.units);
    items.push(...page.items);
    remainingKeys = page.unprocessed;
  }
  return items;
}

export interface QueryPage<T extends object = Item> {
  items: T[];
  /** Where the next page begins; undefined after the last. */
  next: PageStart | undefined;
}

/** Whether DynamoDB accepts the query: it rejects inverted ranges and keys that are too long. */
export const isQueryable = ({ pk, prefix, from, to }: KeyRange): boolean =>
  hasValidLength({ pk, sk: prefix ?? from ?? "" }) && !(from !== undefined && to !== undefined && from > to);

/** One page of a range: 1 MB at most, and at most `limit` items. */
export async function fetchPage<T extends object = Item>(
  range: KeyRange,
  limit: number,
  consistent: boolean,
  start?: QueryPage["next"],
): Promise<QueryPage<T>> {
  const { items, next, units } = await query({
    ...range,
    limit: Number.isFinite(limit) ? limit : undefined,
    consistent,
    start,
  });
  recordUnits("readUnits", units);
  return { items: items as object[] as T[], next };
}

/** All items of a range, over as many pages as it takes. */
export async function fetchRange<T extends object = Item>(range: KeyRange, consistent: boolean): Promise<T[]> {
  const items: T[] = [];
  for (let start: QueryPage["next"]; isQueryable(range); ) {
    const page = await fetchPage<T>(range, Number.POSITIVE_INFINITY, consistent, start);
    items.push(...page.items);
    if (!page.next) break;
    start = page.next;
  }
  return items;
}
