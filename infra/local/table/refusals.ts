import type { CancellationReason, TransactionCanceled } from "../../../shared/table/port.ts";

/** DynamoDB's errors, by their names. */

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** For a request that the table does not accept. */
export const invalid = (message: string): Error => named("ValidationException", message);

export const conditionFailed = (): Error => named("ConditionalCheckFailedException", "The conditional request failed");

export const canceled = (CancellationReasons: readonly CancellationReason[]): TransactionCanceled =>
  Object.assign(named("TransactionCanceledException", "The transaction was canceled"), {
    CancellationReasons,
  }) as TransactionCanceled;
