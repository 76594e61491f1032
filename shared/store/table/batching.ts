import { setImmediate as nextTurn } from "node:timers/promises";
import { fetchItems } from "./calls.ts";
import { nameOf } from "./keys.ts";
import { type Batch, openBatches, startedItemOr } from "./shared-reads.ts";
import type { Item, Key } from "./writes.ts";

/**
 * Batches reads by key, as DataLoader does: the items that a request asks for in the same turn of the event loop are read in
 * one call, or in two if only some must be strongly consistent. The units are the same, because DynamoDB counts each item.
 */

/** One item; 0.5 read units for each 4 KB begun, or 1 when consistent. */
export const loadItem = <T extends object = Item>(key: Key, consistent: boolean): Promise<T | undefined> =>
  startedItemOr(key, consistent, () => readInBatch(key, consistent)) as Promise<T | undefined>;

/** The existing items among any number of keys, in no particular order; strongly consistent. */
export const loadItems = async <T extends object = Item>(keys: readonly Key[]): Promise<T[]> =>
  (await Promise.all(keys.map((key) => loadItem<T>(key, true)))).filter((item) => item !== undefined);

async function readInBatch(key: Key, consistent: boolean): Promise<Item | undefined> {
  const batches = openBatches();
  if (!batches) return (await fetchItems([key], consistent))[0];
  const batch = batches.get(consistent) ?? startBatch(batches, consistent);
  batch.keys.set(nameOf(key), key);
  return (await batch.found).get(nameOf(key));
}

function startBatch(batches: Map<boolean, Batch>, consistent: boolean): Batch {
  const keys = new Map<string, Key>();
  const read = async () => {
    await nextTurn();
    batches.delete(consistent);
    return new Map((await fetchItems([...keys.values()], consistent)).map((item) => [nameOf(item), item]));
  };
  const batch = { keys, found: read() };
  batches.set(consistent, batch);
  return batch;
}
