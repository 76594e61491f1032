import { updateAndGetIf, updateIf } from "./single-writes.ts";
import type { Condition, Item, Key } from "./writes.ts";

/** A lease gives one worker at a time the right to change an item, until an expiry that the item stores. */
export interface Lease {
  key: Key;
  /** The attribute with the lease's expiry in UNIX milliseconds; 0 or absent when the lease is free. */
  attribute: string;
  /** The lease's duration. It must exceed the worker's time limit, so that no worker runs beyond its lease. */
  ms: number;
  /** A further condition for taking and keeping the lease. */
  when?: Condition;
}

/**
 * Takes the lease, runs `work` with the item as it then is, and releases the lease, unless `work` returns that it has released the
 * lease itself, by a write that sets the attribute to 0. False, without running `work`, when another worker holds the lease or
 * `when` does not hold. `work` must add the condition `leaseHeld` to its writes of the item: the condition fails once another
 * worker has taken the lease. 1 write unit, and 1 to release it.
 */
export async function withLease(
  lease: Lease,
  work: (leaseHeld: Condition, item: Item) => Promise<{ isReleased: boolean } | undefined>,
): Promise<boolean> {
  const { key, attribute, ms, when = {} } = lease;
  const until = Date.now() + ms;
  const item = await updateAndGetIf(
    key,
    { set: { [attribute]: until } },
    { ...when, below: { [attribute]: Date.now() } },
  );
  if (!item) return false;
  const leaseHeld: Condition = { equals: { ...when.equals, [attribute]: until } };
  let isReleased = false;
  try {
    isReleased = (await work(leaseHeld, item))?.isReleased === true;
  } finally {
    // If the release fails, the lease expires. The condition fails if another worker has taken the lease since.
    if (!isReleased)
      await updateIf(key, { set: { [attribute]: 0 } }, { equals: { [attribute]: until } }).catch(() => {});
  }
  return true;
}
