import { fetchItems, fetchPage, keyOf, mayHoldItems, type Page, type Range } from "./calls.ts";
import { mustBeConsistent, type ReadOptions } from "./consistency.ts";
import { learnRecentChanges } from "./log-end.ts";
import { recentChanges } from "./recent-changes.ts";
import type { Item, Key } from "./writes.ts";

/**
 * Queries of the table and its indexes. An index is always eventually consistent, and so is the table unless a query asks for
 * more. The log tells which items were written lately: a query's result has those replaced by their current versions, added,
 * removed and sorted accordingly.
 */

export interface QuerySpec extends ReadOptions, Range {
  /** At most so many items; absent, all of them, however many pages that takes. */
  limit?: number;
}

/** The items of a query, over as many pages as it takes. */
export async function queryItems<T extends object = Item>(spec: QuerySpec): Promise<T[]> {
  const items: T[] = [];
  for await (const page of queryPages<T>(spec)) items.push(...page);
  return items;
}

/** The items of a query page by page (1 MB at most each), so that a long list need not be held at once. */
export async function* queryPages<T extends object = Item>(spec: QuerySpec): AsyncGenerator<T[]> {
  if (!mayHoldItems(spec)) return;
  const consistent = mustBeConsistent(spec);
  const isExact = spec.mayLag || (consistent && spec.index === undefined);
  const arrivals = new Set<string>();
  let remaining = spec.limit ?? Number.POSITIVE_INFINITY;
  let start: Page["next"];
  while (remaining > 0) {
    const [page] = await Promise.all([
      fetchPage(spec, remaining, consistent, start),
      isExact ? undefined : learnRecentChanges(),
    ]);
    const items = isExact ? page.items : await broughtUpToDate(spec, page, start, arrivals);
    const wanted = items.slice(0, remaining);
    yield wanted as T[];
    remaining -= wanted.length;
    if (!page.next) return;
    start = page.next;
  }
}

/**
 * A page in which what was written lately is as it is now. `arrivals` collects what it did not list: where several items
 * have one sort key, the next page may list them.
 */
async function broughtUpToDate(
  spec: QuerySpec,
  page: Page,
  start: Page["next"],
  arrivals: Set<string>,
): Promise<Item[]> {
  const [pk, sk] = [`${spec.index ?? ""}pk`, `${spec.index ?? ""}sk`];
  const { prefix = "", from = "", to } = prefixed(spec);
  const direction = spec.descending ? -1 : 1;
  const [first, last] = [start?.[sk] as string | undefined, page.next?.[sk] as string | undefined];
  const listed = new Set(page.items.map(nameOf));
  /** Whether an item with this sort key belongs on this page; `strictly`: not where the page before ended. */
  const isCovered = (key: string, strictly: boolean) =>
    key.startsWith(prefix) &&
    byBytes(key, from) >= 0 &&
    (to === undefined || byBytes(key, to) <= 0) &&
    (first === undefined || direction * byBytes(key, first) >= (strictly ? 1 : 0)) &&
    (last === undefined || direction * byBytes(key, last) <= 0);
  const recent = recentChanges();
  const outdated = page.items.filter((item) => recent.mayDiffer(item, true) || arrivals.has(nameOf(item)));
  const arrived = recent
    .in(spec.index, spec.pk)
    .filter(({ key, sk }) => !listed.has(nameOf(key)) && isCovered(sk, true))
    .map(({ key }) => key);
  if (outdated.length + arrived.length === 0) return page.items;
  const changed = outdated.filter((item) => !arrivals.has(nameOf(item)));
  const read = await fetchItems([...changed.map(keyOf), ...arrived], true);
  const current = read.filter(
    (item) => item[pk] === spec.pk && typeof item[sk] === "string" && isCovered(item[sk], !listed.has(nameOf(item))),
  );
  for (const item of current) if (!listed.has(nameOf(item))) arrivals.add(nameOf(item));
  return [...page.items.filter((item) => !outdated.includes(item)), ...current].sort(
    (a, b) => direction * byBytes(a[sk] as string, b[sk] as string),
  );
}

/** A prefix excludes bounds. */
const prefixed = ({ prefix, from, to }: QuerySpec): Pick<QuerySpec, "prefix" | "from" | "to"> =>
  prefix === undefined ? { ...(from !== undefined && { from }), ...(to !== undefined && { to }) } : { prefix };

const nameOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;

/** The order of sort keys. */
const byBytes = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)));
