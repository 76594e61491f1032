import { randomUUID } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { isThrottled, Unavailable } from "../../aws/unavailable.ts";
import { tooLongToStore } from "../../errors.ts";
import { recordCapacity, tableName } from "./calls.ts";
import { db } from "./client.ts";
import { keyOf } from "./keys.ts";
import { backOff, type RetryPolicy, retryPolicy } from "./retries.ts";
import { forgetStarted } from "./shared-reads.ts";
import { endingAt } from "./time-limit.ts";
import { conditionInput, type Item, type Refusal, updateInput, type Write } from "./writes.ts";

/** The condition of a write without `orElse` did not hold; nothing was written. */
export class ConditionFailed extends Error {
  override name = "ConditionFailed";
}

/**
 * Makes all writes or none (at most 100 items, 4 MB): 2 write units for each KB of each item. When conditions do not hold, the
 * first write with such a condition decides the error: its `orElse`, or `refusal`, or ConditionFailed. Throws an ApiError when
 * an item would exceed 400 KB. Repeats a transaction that is throttled or conflicts with another one.
 */
export async function transact(writes: readonly Write[], refusal?: Refusal): Promise<void> {
  const failure = await tryTransact(writes, refusal);
  if (failure) throw failure.error;
}

/** Why nothing was written: the condition of `write` does not hold, or without it, an item is too long. */
export interface Failure {
  write?: Write | undefined;
  /** The item that `write` found. */
  existing?: Item | undefined;
  error: Error;
}

/**
 * Like `transact`, but returns the failure; still throws when the table throttles until the retries of `policy` end, and when no
 * reply comes: then the writes may have been made.
 */
export async function tryTransact(
  writes: readonly Write[],
  refusal?: Refusal,
  policy: RetryPolicy = retryPolicy,
): Promise<Failure | undefined> {
  const TransactItems = writes.map((write) => transactItem(write));
  // Makes the SDK's retries and ours idempotent: if an attempt took effect but its reply was lost, the next with the same token
  // succeeds.
  let token = randomUUID();
  const { deadline } = policy;
  for (let attempt = 1; ; attempt++) {
    if (deadline !== undefined && Date.now() >= deadline)
      throw new Unavailable("The transaction's deadline has passed");
    try {
      const { ConsumedCapacity } = await db().send(
        new TransactWriteCommand({
          TransactItems,
          ClientRequestToken: token,
          ReturnConsumedCapacity: "TOTAL",
        }),
        deadline === undefined ? {} : endingAt(deadline),
      );
      recordCapacity("writeUnits", ConsumedCapacity);
      forgetStarted(writes.map((write) => (write.kind === "put" ? write.item : write.key)));
      return undefined;
    } catch (error) {
      if (isSizeError(error)) return { error: tooLongToStore() };
      const isCanceled = error instanceof TransactionCanceledException;
      const reasons = isCanceled ? (error.CancellationReasons ?? []) : [];
      const failed = reasons.findIndex(({ Code }) => Code === "ConditionalCheckFailed");
      if (failed >= 0) {
        const [write, reason] = [writes[failed], reasons[failed]];
        // The document client unmarshalls the items in responses, but not those in exceptions.
        const existing = reason?.Item && (unmarshall(reason.Item) as Item);
        const toError = write?.orElse ?? refusal;
        return { write, existing, error: toError ? toError(existing) : new ConditionFailed() };
      }
      if (!isThrottled(error) || !(await backOff(attempt, policy))) throw error;
      if (isCanceled) token = randomUUID();
    }
  }
}

/** Whether DynamoDB rejected the size of an item or of the transaction. */
function isSizeError(error: unknown): boolean {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  const messages = [(error as Error).message, ...reasons.map(({ Message = "" }) => Message)];
  return messages.some((message) => /item size|size.*exceeded|4 ?MB/i.test(message));
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
