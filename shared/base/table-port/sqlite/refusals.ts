import type { CancellationReason, TransactionCanceled } from "../port.ts";

/** DynamoDB's errors, by their names. */

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** For a request that the table does not accept. */
export const invalid = (message: string): Error => named("ValidationException", message);

export const conditionFailed = (): Error => named("ConditionalCheckFailedException", "The conditional request failed");

export const canceled = (CancellationReasons: readonly CancellationReason[]): TransactionCanceled =>
  Object.assign(named("TransactionCanceledException", "The transaction was canceled"), {
    CancellationReasons,
  }) as TransactionCanceled;

/** SQLite's codes: another process keeps the file locked. */
const busyCodes = [5, 6];

/** An error of SQLite as one that the store knows: nothing was written, and the request may be repeated. Others stay as they are. */
export function writeError(error: unknown): unknown {
  const { errcode, message } = error as { errcode?: number; message?: string };
  if (errcode === undefined) return error;
  // The lower byte is the code without its details.
  const isBusy = busyCodes.includes(errcode & 0xff);
  const name = isBusy ? "ThrottlingException" : "InternalServerError";
  return Object.assign(new Error(`The table cannot be written: ${message}`, { cause: error }), { name });
}
