import { compareBytes } from "../../base/compare-bytes.ts";
import { loadItem, loadItems } from "./batching.ts";
import { fetchPage, isQueryable, isValidKey, type KeyRange, type QueryPage } from "./calls.ts";
import { consistencyOf, type ReadOptions } from "./consistency.ts";
import { idOf, keyOf, nameOf } from "./keys.ts";
import { loadRecentWrites } from "./log-end.ts";
import { recentWrites, withRequestScope } from "./recent-writes.ts";
import { isSharingReads, startedPageOr } from "./shared-reads.ts";
import { currentSnapshot } from "./snapshot.ts";
import type { Item, Key } from "./writes.ts";

/**
 * How the store's entities read: items by key, and queries of the table and its indexes. A read takes these steps, each in a file
 * of its own: a snapshot may have the result already (`snapshot.ts`); a read may have been started earlier (`shared-reads.ts`);
 * reads by key of one moment are one call (`load…` in `batching.ts`); and `fetch…` in `calls.ts` makes the call. Reads that are
 * only eventually consistent, which are those of indexes and of entities that are declared `corrected` (`consistency.ts`), are
 * then corrected: the end of the log names what was written recently (`log-end.ts`), and of that, what may be stale is read again.
 * So a read sees every change that was acknowledged before the request began, and every change of this process, unless it is
 * declared `lagging`.
 *
 * What a read does depends on its arguments, and on these values of the running invocation, all of them optional:
 * - `withRequestScope` (`recent-writes.ts`): reads share calls, and what they know of recent writes. Every request and job has one.
 * - `prefetch` (`shared-reads.ts`): the next read of the same item or page uses the read that was started before.
 * - `withConsistentReads` (`consistency.ts`): reads by key are strongly consistent, whatever their entity declares.
 * - `withSnapshot` (`snapshot.ts`): each item and each range is read once, strongly consistent, as by a registration.
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
  // Outside of a request, a scope of its own makes the reads one call.
  const found = new Map(await (isSharingReads() ? read() : withRequestScope(read)));
  return keys.map((key) => found.get(nameOf(key)));
}

export interface QuerySpec extends ReadOptions, KeyRange {
  /** The maximum number of items; absent: all of them, over as many pages as it takes. */
  limit?: number;
  /** Whether any of the items will do: then items that may be stale are left out, if there are others on the page. */
  anyItem?: boolean;
}

/** The items of a query, over as many pages as it takes. */
export async function queryItems<T extends object = Item>(spec: QuerySpec): Promise<T[]> {
  const snapshot = spec.index === undefined ? currentSnapshot() : undefined;
  return snapshot
    ? (snapshot.query(spec, () => readPages(spec)) as Promise<object[]> as Promise<T[]>)
    : readPages<T>(spec);
}

/** The IDs at the end of the sort keys of a query's items, in the table or in the index. */
export const queryIds = async (spec: QuerySpec): Promise<number[]> =>
  (await queryItems(spec)).map((item) => idOf(item[`${spec.index ?? ""}sk`] as string));

async function readPages<T extends object = Item>(spec: QuerySpec): Promise<T[]> {
  const items: T[] = [];
  for await (const page of queryPages<T>(spec)) items.push(...page);
  return items;
}

/** The items of a query page by page (at most 1 MB each), so that a long list need not be in memory at once. */
export async function* queryPages<T extends object = Item>(spec: QuerySpec): AsyncGenerator<T[]> {
  if (!isQueryable(spec)) return;
  const consistency = spec.index === undefined ? consistencyOf(spec) : "corrected";
  const isStrong = consistency === "strong";
  const isExact = consistency !== "corrected";
  const addedNames = new Set<string>();
  let remaining = spec.limit ?? Number.POSITIVE_INFINITY;
  let start: QueryPage["next"];
  while (remaining > 0) {
    const [page] = await Promise.all([
      startedPageOr({ ...spec, remaining, consistency, start }, () => fetchPage(spec, remaining, isStrong, start)),
      isExact ? undefined : loadRecentWrites(),
    ]);
    const items = isExact ? page.items : await withRecentWrites(spec, page, start, addedNames);
    const wanted = items.slice(0, remaining);
    yield wanted as T[];
    remaining -= wanted.length;
    if (!page.next) return;
    start = page.next;
  }
}

/**
 * Corrects a page by the items that were written recently. `addedNames` collects the items added to the page: when several
 * items share a sort key, the next page may list them again.
 */
async function withRecentWrites(
  spec: QuerySpec,
  page: QueryPage,
  start: QueryPage["next"],
  addedNames: Set<string>,
): Promise<Item[]> {
  const [pk, sk] = [`${spec.index ?? ""}pk`, `${spec.index ?? ""}sk`];
  const { prefix = "", from = "", to } = spec;
  const direction = spec.descending ? -1 : 1;
  const [first, last] = [start?.[sk] as string | undefined, page.next?.[sk] as string | undefined];
  const listed = new Set(page.items.map(nameOf));
  /** Whether an item with this sort key belongs on this page. `strictly` excludes the key at which the previous page ended. */
  const isCovered = (key: string, strictly: boolean) =>
    key.startsWith(prefix) &&
    compareBytes(key, from) >= 0 &&
    (to === undefined || compareBytes(key, to) <= 0) &&
    (first === undefined || direction * compareBytes(key, first) >= (strictly ? 1 : 0)) &&
    (last === undefined || direction * compareBytes(key, last) <= 0);
  const recent = recentWrites();
  const outdated = page.items.filter((item) => recent.mayBeStale(item, true) || addedNames.has(nameOf(item)));
  if (spec.anyItem && outdated.length < page.items.length) return page.items.filter((item) => !outdated.includes(item));
  const arrived = recent
    .inPartition(spec.index, spec.pk)
    .filter(({ key, sk }) => !listed.has(nameOf(key)) && isCovered(sk, true))
    .map(({ key }) => key);
  if (outdated.length + arrived.length === 0) return page.items;
  const changed = outdated.filter((item) => !addedNames.has(nameOf(item)));
  const read = await loadItems([...changed.map(keyOf), ...arrived]);
  const current = read.filter(
    (item) => item[pk] === spec.pk && typeof item[sk] === "string" && isCovered(item[sk], !listed.has(nameOf(item))),
  );
  for (const item of current) if (!listed.has(nameOf(item))) addedNames.add(nameOf(item));
  return [...page.items.filter((item) => !outdated.includes(item)), ...current].sort(
    (a, b) => direction * compareBytes(a[sk] as string, b[sk] as string),
  );
}
