import { isRefusal } from "../../base/table-port/port.ts";
import { recordUnits } from "./calls.ts";
import { deleteOne, updateOne } from "./client.ts";
import { forgetStarted } from "./shared-reads.ts";
import { endingAt } from "./time-limit.ts";
import type { Condition, Item, Key, Update } from "./writes.ts";

/** Writes of one item outside any transaction: 1 write unit for each KB, whether the condition holds or not. */

/** Updates an item and returns it as it is afterwards. */
export const updateItem = async <T extends object = Item>(key: Key, update: Update): Promise<T> =>
  (await sendUpdate(key, update, undefined, "new")) as T;

/** Updates an item and returns it as it was before. The call is not in flight after `deadline` (UNIX milliseconds). */
export const updateAndGetOld = async <T extends object = Item>(
  key: Key,
  update: Update,
  deadline: number,
): Promise<Partial<T>> => (await sendUpdate(key, update, undefined, "old", endingAt(deadline))) as Partial<T>;

/** Updates an item if the condition holds. Returns false when it does not hold, or when a transaction is writing the item. */
export const updateIf = async (key: Key, update: Update, when: Condition): Promise<boolean> =>
  (await updateAndGetIf(key, update, when)) !== undefined;

/** Like `updateIf`, but returns the updated item, or undefined. */
export const updateAndGetIf = (key: Key, update: Update, when: Condition): Promise<Item | undefined> =>
  undefinedIfRefused(sendUpdate(key, update, when, "new"));

/** Deletes an item. Idempotent. */
export const deleteItem = (key: Key): Promise<void> => sendDelete(key, undefined);

/** Deletes an item if the condition holds. Returns false in the same cases as `updateIf`. */
export const deleteIf = async (key: Key, when: Condition): Promise<boolean> =>
  (await undefinedIfRefused(sendDelete(key, when).then(() => true))) === true;

async function sendUpdate(
  key: Key,
  update: Update,
  when: Condition | undefined,
  returns: "new" | "old",
  options: Partial<ReturnType<typeof endingAt>> = {},
): Promise<Item> {
  const { item = {}, units } = await updateOne({ key, update, when, returns }, options);
  recordUnits("writeUnits", units);
  forgetStarted([key]);
  return item as Item;
}

async function sendDelete(key: Key, when: Condition | undefined): Promise<void> {
  const { units } = await deleteOne({ key, when });
  recordUnits("writeUnits", units);
  forgetStarted([key]);
}

async function undefinedIfRefused<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
