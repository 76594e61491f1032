import { randomUUID } from "node:crypto";
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { tooLongToStore } from "../../errors.ts";
import { keyOf, recordCapacity, tableName } from "./calls.ts";
import { db } from "./client.ts";
import { forgetPrefetched } from "./prefetch.ts";
import { backOff, retryPolicy } from "./retries.ts";
import { type Condition, conditionInput, type Item, type Key, type Update, updateInput, type Write } from "./writes.ts";

/** A condition of a write did not hold; nothing was written. */
export class ConditionFailed extends Error {
  override name = "ConditionFailed";
  /** Indexes of the writes whose condition failed. */
  readonly failed: number[];
  /** The stored items that failed the conditions, by index of the write. */
  readonly existing: Map<number, Item>;
  constructor(failed: number[], existing: Map<number, Item>) {
    super(`Condition failed for writes ${failed.join(", ")}`);
    this.failed = failed;
    this.existing = existing;
  }
}

/**
 * Makes all writes or none (at most 100 items, 4 MB): 2 write units for each KB of each item. Throws ConditionFailed when a
 * condition does not hold, and an ApiError when an item would exceed 400 KB. Retries conflicts with other transactions.
 */
export async function transact(writes: readonly Write[]): Promise<void> {
  const TransactItems = writes.map((write) => transactItem(write));
  for (let attempt = 1; ; attempt++) {
    try {
      const { ConsumedCapacity } = await db().send(
        new TransactWriteCommand({
          TransactItems,
          // Makes the SDK's own retries idempotent.
          ClientRequestToken: randomUUID(),
          ReturnConsumedCapacity: "TOTAL",
        }),
      );
      recordCapacity("writeUnits", ConsumedCapacity);
      forgetPrefetched(writes.map((write) => (write.kind === "put" ? write.item : write.key)));
      return;
    } catch (error) {
      if (isSizeError(error)) throw tooLongToStore();
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const failed = reasons.flatMap(({ Code }, index) => (Code === "ConditionalCheckFailed" ? [index] : []));
      if (failed.length > 0) throw new ConditionFailed(failed, existingItems(reasons));
      const isTransient = reasons.every(({ Code = "None" }) => retryable.has(Code));
      if (!isTransient || attempt === retryPolicy.attempts) throw error;
      await backOff(attempt);
    }
  }
}

/** Whether DynamoDB rejected the size of an item or of the transaction. */
function isSizeError(error: unknown): boolean {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  const messages = [(error as Error).message, ...reasons.map(({ Message = "" }) => Message)];
  return messages.some((message) => /item size|size.*exceeded|4 ?MB/i.test(message));
}

const retryable = new Set(["None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

/** The document client unmarshalls the items in responses, but not those in exceptions. */
function existingItems(reasons: NonNullable<TransactionCanceledException["CancellationReasons"]>) {
  return new Map(reasons.flatMap(({ Item }, index) => (Item ? [[index, unmarshall(Item) as Item] as const] : [])));
}

function transactItem(write: Write): NonNullable<TransactWriteCommandInput["TransactItems"]>[number] {
  const common = {
    TableName: tableName(),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
  };
  switch (write.kind) {
    case "put":
      return { Put: { ...common, Item: write.item, ...conditionInput(write.when) } };
    case "update":
      return { Update: { ...common, Key: keyOf(write.key), ...updateInput(write.update, write.when) } };
    case "delete":
      return { Delete: { ...common, Key: keyOf(write.key), ...conditionInput(write.when) } };
    case "check":
      return {
        ConditionCheck: {
          ...common,
          Key: keyOf(write.key),
          ...(conditionInput(write.when) as { ConditionExpression: string }),
        },
      };
  }
}

/**
 * Updates one item outside any transaction if the condition holds. Returns false when the condition does not hold, or when a
 * transaction is writing the item. 1 write unit for each KB in either case.
 */
export const updateIf = async (key: Key, update: Update, when: Condition): Promise<boolean> =>
  (await updateAndGetIf(key, update, when)) !== undefined;

/** Like `updateIf`, but returns the updated item, or undefined. */
export async function updateAndGetIf(key: Key, update: Update, when: Condition): Promise<Item | undefined> {
  try {
    const { Attributes, ConsumedCapacity } = await db().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: keyOf(key),
        ...updateInput(update, when),
        ReturnValues: "ALL_NEW",
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    recordCapacity("writeUnits", ConsumedCapacity);
    forgetPrefetched([key]);
    return Attributes as Item;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException)
      return undefined;
    throw error;
  }
}

/** Updates one item outside any transaction and returns it as it is afterwards (or before); 1 write unit for each KB. */
export async function updateItem<T extends object = Item>(
  key: Key,
  update: Update,
  returning: "ALL_NEW" | "ALL_OLD" = "ALL_NEW",
): Promise<T> {
  const { Attributes, ConsumedCapacity } = await db().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: keyOf(key),
      ...updateInput(update, undefined),
      ReturnValues: returning,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  recordCapacity("writeUnits", ConsumedCapacity);
  forgetPrefetched([key]);
  return (Attributes ?? {}) as T;
}

/**
 * Deletes one item outside any transaction if the condition holds; 1 write unit for each KB. Returns false in the same cases as
 * `updateIf`.
 */
export async function deleteIf(key: Key, when: Condition): Promise<boolean> {
  try {
    const { ConsumedCapacity } = await db().send(
      new DeleteCommand({
        TableName: tableName(),
        Key: keyOf(key),
        ...conditionInput(when),
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    recordCapacity("writeUnits", ConsumedCapacity);
    forgetPrefetched([key]);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException) return false;
    throw error;
  }
}

/** Deletes one item outside any transaction. Idempotent; 1 write unit for each KB. */
export async function deleteItem(key: Key): Promise<void> {
  const { ConsumedCapacity } = await db().send(
    new DeleteCommand({ TableName: tableName(), Key: keyOf(key), ReturnConsumedCapacity: "TOTAL" }),
  );
  recordCapacity("writeUnits", ConsumedCapacity);
  forgetPrefetched([key]);
}
