import { InvocationValue } from "../../base/invocation.ts";
import { loadItem } from "./batching.ts";
import { fetchRange, isValidKey, type KeyRange } from "./calls.ts";
import { withConsistentReads } from "./consistency.ts";
import { nameOf } from "./keys.ts";
import type { Item, Key } from "./writes.ts";

/** A whole partition, or the part of it between two sort keys, inclusive. */
type ReadAheadRange = Pick<KeyRange, "pk" | "from" | "to">;

/**
 * Shares reads among the parts of one reply, such as that of a registration: each item and each range is read once, strongly
 * consistent.
 */
class Snapshot {
  readonly #items = new Map<string, Promise<Item | undefined>>();
  readonly #queries = new Map<string, Promise<Item[]>>();
  readonly #readAheads: { range: ReadAheadRange; items: Promise<Map<string, Item>> }[] = [];

  /** Reads a range in advance; all later reads within it are answered from the result. */
  async readAhead(range: ReadAheadRange): Promise<void> {
    const items = fetchRange(range, true).then((found) => new Map(found.map((item) => [item.sk, item])));
    this.#readAheads.push({ range, items });
    await items;
  }

  item(key: Key): Promise<Item | undefined> {
    const name = nameOf(key);
    const item = this.#items.get(name) ?? this.#readItem(key);
    this.#items.set(name, item);
    return item;
  }

  async #readItem(key: Key): Promise<Item | undefined> {
    const readItems = this.#findAhead(key.pk, key.sk, key.sk);
    if (readItems) return (await readItems).get(key.sk);
    return isValidKey(key) ? loadItem(key, true) : undefined;
  }

  /** The items of a query; `read` runs it if the snapshot has no result yet. */
  async query(spec: KeyRange & { limit?: number }, read: () => Promise<Item[]>): Promise<Item[]> {
    const { pk, prefix, from, to, fields, descending = false, limit = Number.POSITIVE_INFINITY } = spec;
    const [first, last] = prefix === undefined ? [from, to] : [prefix, `${prefix}\uffff`];
    const isPlain = !fields && !descending && limit === Number.POSITIVE_INFINITY;
    const readItems = isPlain ? this.#findAhead(pk, first, last) : undefined;
    if (readItems)
      return [...(await readItems).values()].filter(
        ({ sk }) => (first === undefined || sk >= first) && (last === undefined || sk <= last),
      );
    const name = JSON.stringify([pk, first, last, fields, descending, String(limit)]);
    const items = this.#queries.get(name) ?? read();
    this.#queries.set(name, items);
    return [...(await items)];
  }

  #findAhead(pk: string, first = "", last?: string): Promise<Map<string, Item>> | undefined {
    return this.#readAheads.find(
      ({ range: { pk: partition, from = "", to } }) =>
        partition === pk && from <= first && (to === undefined || (last !== undefined && last <= to)),
    )?.items;
  }
}

const scope = new InvocationValue<Snapshot>("snapshot");

/** Runs `work`, whose reads of the table are strongly consistent and shared. `work` must not read what it has written. */
export const withSnapshot = <T>(work: () => Promise<T>): Promise<T> =>
  withConsistentReads(() => scope.run(new Snapshot(), work));

/** The snapshot in whose scope the current code runs. */
export const currentSnapshot = (): Snapshot | undefined => scope.get();

/** Reads a range in advance if a snapshot is active; later reads within the range then cost nothing. */
export const readAhead = async (range: ReadAheadRange): Promise<void> => currentSnapshot()?.readAhead(range);
