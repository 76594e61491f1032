import { loadItem, loadItems } from "./batching.ts";
import { isValidKey } from "./calls.ts";
import { consistencyOf, type ReadOptions } from "./consistency.ts";
import { nameOf } from "./keys.ts";
import { loadRecentWrites } from "./log-end.ts";
import { prefetchedItem, prefetchedItems } from "./prefetch.ts";
import { recentWrites } from "./recent-writes.ts";
import { currentSnapshot } from "./snapshot.ts";
import type { Item, Key } from "./writes.ts";

/**
 * Reads of items by key. The store's entities use the table only through the functions below and those of `queries.ts`,
 * `transactions.ts` and `bulk.ts`. Unless it is declared `lagging`, a read sees every change that was acknowledged before the
 * request began, and every change of this process.
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
  if (consistency === "lagging") return (await loadItem(key, false)) as T | undefined;
  const isStrong = consistency === "strong";
  const read = () => (isStrong ? loadItem(key, true) : readCorrected(key));
  return (await prefetchedItem(key, isStrong, read)) as T | undefined;
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
  const snapshot = currentSnapshot();
  if (snapshot) return Promise.all(keys.map((key) => snapshot.item(key))) as Promise<(T | undefined)[]>;
  const unique = [...new Map(keys.filter(isValidKey).map((key) => [nameOf(key), key])).values()];
  const consistency = consistencyOf(options);
  const isStrong = consistency === "strong";
  const read = (wanted: readonly Key[]) => (isStrong ? loadItems(wanted, true) : readAllCorrected(wanted));
  const fetched = await (consistency === "lagging"
    ? loadItems(unique, false)
    : prefetchedItems(unique, isStrong, read));
  const found = new Map(fetched.map((item) => [nameOf(item), item]));
  return keys.map((key) => found.get(nameOf(key)) as T | undefined);
}

async function readAllCorrected(keys: readonly Key[]): Promise<Item[]> {
  if (keys.length === 0) return [];
  const changed = keys.filter((key) => recentWrites().mayBeStale(key, true));
  const others = keys.filter((key) => !changed.includes(key));
  const [changedItems, otherItems] = await Promise.all([
    loadItems(changed, true),
    loadItems(others, false),
    others.length > 0 && loadRecentWrites(),
  ]);
  const found = new Set(otherItems.map(nameOf));
  const outdated = others.filter((key) => recentWrites().mayBeStale(key, found.has(nameOf(key))));
  if (outdated.length === 0) return [...changedItems, ...otherItems];
  const names = new Set(outdated.map(nameOf));
  return [
    ...changedItems,
    ...otherItems.filter((item) => !names.has(nameOf(item))),
    ...(await loadItems(outdated, true)),
  ];
}
