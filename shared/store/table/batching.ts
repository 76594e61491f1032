import { setImmediate as nextTurn } from "node:timers/promises";
import { type BatchedReads, batchingScope } from "./batching-scope.ts";
import { fetchItem, fetchItems } from "./calls.ts";
import { nameOf } from "./keys.ts";
import type { Item, Key } from "./writes.ts";

/**
 * Batches reads by key, as DataLoader does: the items that a request asks for in the same turn of the event loop are read in
 * one call, or in two if only some must be strongly consistent. The units are the same, because DynamoDB counts each item.
 */
class ItemLoader implements BatchedReads {
  /** The batches that reads of this turn join: one of strongly consistent reads, one of others. */
  readonly #open = new Map<boolean, Batch>();

  /** The existing items among distinct keys, in the order of `keys`. */
  async load(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
    if (keys.length === 0) return [];
    const batch = this.#open.get(consistent) ?? this.#start(consistent);
    for (const key of keys) batch.keys.set(nameOf(key), key);
    try {
      const found = await batch.found;
      return keys.flatMap((key) => found.get(nameOf(key)) ?? []);
    } catch (error) {
      // DynamoDB rejects a call for a single invalid key, which must not fail the readers of other items.
      const isShared = batch.keys.size > keys.length;
      if (isShared && (error as Error).name === "ValidationException") return fetchItems(keys, consistent);
      throw error;
    }
  }

  #start(consistent: boolean): Batch {
    const keys = new Map<string, Key>();
    const batch = { keys, found: this.#read(keys, consistent) };
    this.#open.set(consistent, batch);
    return batch;
  }

  async #read(keys: ReadonlyMap<string, Key>, consistent: boolean): Promise<Map<string, Item>> {
    await nextTurn();
    this.#open.delete(consistent);
    const keyList = [...keys.values()];
    const [first] = keyList;
    const items =
      first && keyList.length === 1 ? [await fetchItem(first, consistent)] : await fetchItems(keyList, consistent);
    return new Map(items.flatMap((item) => (item ? [[nameOf(item), item]] : [])));
  }
}

interface Batch {
  keys: Map<string, Key>;
  found: Promise<ReadonlyMap<string, Item>>;
}

function batchedReads(): BatchedReads | undefined {
  const scope = batchingScope.get();
  if (scope) scope.reads ??= new ItemLoader();
  return scope?.reads;
}

/** One item; 0.5 read units for each 4 KB begun, or 1 when consistent. */
export async function loadItem<T extends object = Item>(key: Key, consistent: boolean): Promise<T | undefined> {
  const loader = batchedReads();
  return loader ? ((await loader.load([key], consistent))[0] as T | undefined) : fetchItem<T>(key, consistent);
}

/** The existing items among any number of distinct keys, in no particular order. */
export const loadItems = async <T extends object = Item>(keys: readonly Key[], consistent: boolean): Promise<T[]> =>
  (await (batchedReads()?.load(keys, consistent) ?? fetchItems(keys, consistent))) as object[] as T[];
