import { ConditionalCheckFailedException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { recordCapacity, tableName } from "./calls.ts";
import { db } from "./client.ts";
import { keyOf } from "./keys.ts";
import { forgetStarted } from "./shared-reads.ts";
import { endingAt } from "./time-limit.ts";
import { type Condition, conditionInput, type Item, type Key, type Update, updateInput } from "./writes.ts";

/** Writes of one item outside any transaction: 1 write unit for each KB, whether the condition holds or not. */

/** Updates an item and returns it as it is afterwards. */
export const updateItem = async <T extends object = Item>(key: Key, update: Update): Promise<T> =>
  (await sendUpdate(key, update, undefined, "ALL_NEW")) as T;

/** Updates an item and returns it as it was before. The call is not in flight after `deadline` (UNIX milliseconds). */
export const updateAndGetOld = async <T extends object = Item>(
  key: Key,
  update: Update,
  deadline: number,
): Promise<Partial<T>> => (await sendUpdate(key, update, undefined, "ALL_OLD", endingAt(deadline))) as Partial<T>;

/** Updates an item if the condition holds. Returns false when it does not hold, or when a transaction is writing the item. */
export const updateIf = async (key: Key, update: Update, when: Condition): Promise<boolean> =>
  (await updateAndGetIf(key, update, when)) !== undefined;

/** Like `updateIf`, but returns the updated item, or undefined. */
export const updateAndGetIf = (key: Key, update: Update, when: Condition): Promise<Item | undefined> =>
  undefinedIfRefused(sendUpdate(key, update, when, "ALL_NEW"));

/** Deletes an item. Idempotent. */
export const deleteItem = (key: Key): Promise<void> => sendDelete(key, undefined);

/** Deletes an item if the condition holds. Returns false in the same cases as `updateIf`. */
export const deleteIf = async (key: Key, when: Condition): Promise<boolean> =>
  (await undefinedIfRefused(sendDelete(key, when).then(() => true))) === true;

async function sendUpdate(
  key: Key,
  update: Update,
  when: Condition | undefined,
  ReturnValues: "ALL_NEW" | "ALL_OLD",
  options: Partial<ReturnType<typeof endingAt>> = {},
): Promise<Item> {
  const { Attributes = {}, ConsumedCapacity } = await db().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: keyOf(key),
      ...updateInput(update, when),
      ReturnValues,
      ReturnConsumedCapacity: "TOTAL",
    }),
    options,
  );
  recordCapacity("writeUnits", ConsumedCapacity);
  forgetStarted([key]);
  return Attributes as Item;
}

async function sendDelete(key: Key, when: Condition | undefined): Promise<void> {
  const { ConsumedCapacity } = await db().send(
    new DeleteCommand({
      TableName: tableName(),
      Key: keyOf(key),
      ...conditionInput(when),
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  recordCapacity("writeUnits", ConsumedCapacity);
  forgetStarted([key]);
}

async function undefinedIfRefused<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException)
      return undefined;
    throw error;
  }
}
