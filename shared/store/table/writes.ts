import type { Condition, Item, Key, TableWrite, Update } from "../../base/table-port/port.ts";

/**
 * How the store's entities write. They describe their writes as plain data (`create`, `put`, `update`, `remove`, `check`), and the
 * caller chooses who makes them:
 * - `commit` (`../log/log.ts`): one transaction with the events that report the change. For all that clients see, and for all that
 *   is read from indexes or `corrected`, because such reads learn from the log what was written recently.
 * - `transact` (`transactions.ts`): one transaction without the log, for what is read by key, or may be read a second late.
 * - `updateIf`, `deleteItem` and the like (`single-writes.ts`): one item, for half the units of a transaction.
 * - `batchWrite` (`bulk.ts`): any number of items, without conditions.
 */

export type { Condition, Item, Key, Update };

/** The error that a failed condition means, given the stored item, if any. */
export type Refusal = (existing: Item | undefined) => Error;

export type Write = TableWrite & { refusal?: Refusal };

export const put = (item: Item, when?: Condition): Write => ({ kind: "put", item, when });
/** Puts an item that must not exist yet. Uniqueness constraints are such items. */
export const create = (item: Item): Write => put(item, { exists: false });
export const update = (key: Key, change: Update, when?: Condition): Write => ({
  kind: "update",
  key,
  update: change,
  when,
});
export const remove = ({ pk, sk }: Key, when?: Condition): Write => ({ kind: "delete", key: { pk, sk }, when });
export const check = (key: Key, when: Condition): Write => ({ kind: "check", key, when });

/** The same write, whose transaction throws `refusal` instead of ConditionFailed when its condition does not hold. */
export const withRefusal = (write: Write, refusal: Refusal): Write => ({ ...write, refusal });

/** New values of attributes; undefined removes an attribute. */
export type Changes<T> = { [K in keyof T]?: T[K] | undefined };
