import { updatedIf, updateIf } from "./transactions.ts";
import type { Condition, Item, Key } from "./writes.ts";

/** A lease: one worker at a time owns an item, until a time that the item stores. */

export interface Lease {
  key: Key;
  /** The attribute with the UNIX milliseconds until which a worker has the item; 0 or absent when nobody has. */
  attribute: string;
  /** For how long it is taken: longer than the worker's time limit, so that a dead one's lease is all that outlives it. */
  ms: number;
  /** What else must hold of the item. */
  when?: Condition;
}

/**
 * Runs `work` unless another worker has the lease, and gives it back; `held`, which no other lease has, belongs into the
 * conditions of what it writes to the item, which it gets as it is. False when another has it. 2 write units.
 */
export async function withLease(lease: Lease, work: (held: Condition, item: Item) => Promise<void>): Promise<boolean> {
  const { key, attribute, ms, when = {} } = lease;
  const until = Date.now() + ms;
  const item = await updatedIf(key, { set: { [attribute]: until } }, { ...when, below: { [attribute]: Date.now() } });
  if (!item) return false;
  const held: Condition = { equals: { ...when.equals, [attribute]: until } };
  try {
    await work(held, item);
  } finally {
    // A lease that cannot be given back ends by itself; one that the work has given back is another's by now.
    await updateIf(key, { set: { [attribute]: 0 } }, { equals: { [attribute]: until } }).catch(() => {});
  }
  return true;
}
