import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { messagePartition } from "../messages/messages.ts";
import { getItem } from "../table/reads.ts";
import { put, type Write } from "../table/writes.ts";

/** Records that the outcome of calling a bot's webhook was posted, so that a redelivered job does not post it again. */
export interface WebhookOutcome {
  messageId: number;
  botId: number;
  /** "unavailable": the failure was reported, but a job that an operator redrives may still succeed. */
  outcome: "done" | "unavailable";
}

/** The retention of a dead-letter queue, plus a day. */
const retentionSeconds = 15 * secondsPerDay;

type Id = Pick<WebhookOutcome, "messageId" | "botId">;
const key = ({ messageId, botId }: Id) => ({ pk: messagePartition(messageId), sk: `WEBHOOK#${botId}` });

export const findWebhookOutcome = (id: Id) => getItem<WebhookOutcome>(key(id));

/** Must be part of the transaction that posts the outcome, which then fails if another worker has posted one meanwhile. */
export const putWebhookOutcome = (outcome: WebhookOutcome, before: WebhookOutcome | undefined): Write =>
  put(
    { ...key(outcome), ...outcome, expiresAt: nowSeconds() + retentionSeconds },
    before ? { equals: { outcome: before.outcome } } : { exists: false },
  );
