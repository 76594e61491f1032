import { randomUUID } from "node:crypto";
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  ReturnValuesOnConditionCheckFailure,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { fromAttributes, toAttributes } from "./attributes.ts";
import { db } from "./client.ts";
import { count, keyAttributes, pause, tableName } from "./table.ts";
import { type Condition, conditionInput, type Item, type Key, type Update, updateInput, type Write } from "./writes.ts";

/** A condition of a write did not hold; nothing was written. */
export class ConditionFailed extends Error {
  override name = "ConditionFailed";
  /** Positions, among the writes, of those whose condition failed. */
  readonly failed: number[];
  /** The items that stood in the way, by position. */
  readonly existing: Map<number, Item>;
  constructor(failed: number[], existing: Map<number, Item>) {
    super(`Condition failed for writes ${failed.join(", ")}`);
    this.failed = failed;
    this.existing = existing;
  }
}

/**
 * Writes all or nothing (at most 100 items, 4 MB): 2 write units for each KB of each item. Throws ConditionFailed when
 * a condition does not hold; a collision with another transaction is retried with jitter.
 */
export async function transact(writes: readonly Write[]): Promise<void> {
  const TransactItems = writes.map((write) => transactItem(write));
  for (let attempt = 1; ; attempt++) {
    try {
      const { ConsumedCapacity } = await db().send(
        new TransactWriteItemsCommand({
          TransactItems,
          // What the client sends again because no answer came must not be done twice.
          ClientRequestToken: randomUUID(),
          ReturnConsumedCapacity: "TOTAL",
        }),
      );
      count("writeUnits", ConsumedCapacity);
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const failed = reasons.flatMap(({ Code }, index) => (Code === "ConditionalCheckFailed" ? [index] : []));
      if (failed.length > 0) throw new ConditionFailed(failed, existingItems(reasons));
      const passing = reasons.every(({ Code = "None" }) => retryable.has(Code));
      if (!passing || attempt === 12) throw error;
      await pause(attempt);
    }
  }
}

const retryable = new Set(["None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

function existingItems(reasons: NonNullable<TransactionCanceledException["CancellationReasons"]>) {
  return new Map(reasons.flatMap(({ Item }, index) => (Item ? [[index, fromAttributes<Item>(Item)] as const] : [])));
}

function transactItem(write: Write) {
  const common = {
    TableName: tableName(),
    ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure.ALL_OLD,
  };
  switch (write.kind) {
    case "put":
      return { Put: { ...common, Item: toAttributes(write.item), ...conditionInput(write.when) } };
    case "update":
      return { Update: { ...common, Key: keyAttributes(write.key), ...updateInput(write.update, write.when) } };
    case "delete":
      return { Delete: { ...common, Key: keyAttributes(write.key), ...conditionInput(write.when) } };
    case "check":
      return {
        ConditionCheck: {
          ...common,
          Key: keyAttributes(write.key),
          ...(conditionInput(write.when) as { ConditionExpression: string }),
        },
      };
  }
}

/**
 * Updates one item outside any transaction if the condition holds: 1 write unit for each KB, even if it does not. False
 * when it does not, or while a transaction is at the item.
 */
export async function updateIf(key: Key, update: Update, when: Condition): Promise<boolean> {
  try {
    const { ConsumedCapacity } = await db().send(
      new UpdateItemCommand({
        TableName: tableName(),
        Key: keyAttributes(key),
        ...updateInput(update, when),
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    count("writeUnits", ConsumedCapacity);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException) return false;
    throw error;
  }
}

/** Updates one item outside any transaction (1 write unit for each KB) and returns it as it then is, or as it was before. */
export async function updateItem<T extends object = Item>(
  key: Key,
  update: Update,
  returning: "ALL_NEW" | "ALL_OLD" = "ALL_NEW",
): Promise<T> {
  const { Attributes, ConsumedCapacity } = await db().send(
    new UpdateItemCommand({
      TableName: tableName(),
      Key: keyAttributes(key),
      ...updateInput(update, undefined),
      ReturnValues: returning,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  count("writeUnits", ConsumedCapacity);
  return fromAttributes<T>(Attributes ?? {});
}

/** Deletes one item outside any transaction, if it is there; 1 write unit for each KB. */
export async function deleteItem(key: Key): Promise<void> {
  const { ConsumedCapacity } = await db().send(
    new DeleteItemCommand({ TableName: tableName(), Key: keyAttributes(key), ReturnConsumedCapacity: "TOTAL" }),
  );
  count("writeUnits", ConsumedCapacity);
}
