import { loadItem } from "./batching.ts";
import { isValidKey } from "./calls.ts";
import { consistencyOf, type ReadOptions } from "./consistency.ts";
import { nameOf } from "./keys.ts";
import { loadRecentWrites } from "./log-end.ts";
import { recentWrites, withRequestScope } from "./recent-writes.ts";
import { isSharingReads } from "./shared-reads.ts";
import { currentSnapshot } from "./snapshot.ts";
import type { Item, Key } from "./writes.ts";

/**
 * Reads of items by key. What gets an item corrects it if the entity is declared so; what loads an item (`batching.ts`) joins the
 * reads of a moment or takes what was prefetched; and what fetches items (`calls.ts`) makes a call. The store's entities use
 * the table only through the functions below and those of `queries.ts`, `transactions.ts` and `bulk.ts`. Unless it is declared
 * `lagging`, a read sees every change that was acknowledged before the request began, and every change of this process.
 */

/**
 * One item; 1 read unit for each 4 KB begun. When `corrected`, 0.5, or 1 if it is known to have been written recently, or 1.5 if
 * that turns out.
 */
export async function getItem<T extends object = Item>(key: Key, options: ReadOptions = {}): Promise<T | undefined> {
  if (!isValidKey(key)) return undefined;
  const snapshot = currentSnapshot();
  if (snapshot) return (await snapshot.item(key)) as T | undefined;
  const consistency = consistencyOf(options);
  const read = consistency === "corrected" ? readCorrected(key) : loadItem(key, consistency === "strong");
  return (await read) as T | undefined;
}

async function readCorrected(key: Key): Promise<Item | undefined> {
  if (recentWrites().mayBeStale(key, true)) return loadItem(key, true);
  const [item] = await Promise.all([loadItem(key, false), loadRecentWrites()]);
  const isOutdated = recentWrites().mayBeStale(key, item !== undefined);
  return isOutdated ? loadItem(key, true) : item;
}

/** Any number of items in the order of `keys`, undefined where there is none; 100 in a call, the calls in parallel. */
export async function getItems<T extends object = Item>(
  keys: readonly Key[],
  options: ReadOptions = {},
): Promise<(T | undefined)[]> {
  const unique = new Map(keys.map((key) => [nameOf(key), key]));
  const read = () =>
    Promise.all([...unique].map(async ([name, key]) => [name, await getItem<T>(key, options)] as const));
  const found = new Map(await (isSharingReads() ? read() : withRequestScope(read)));
  return keys.map((key) => found.get(nameOf(key)));
}
