import { messagePartition } from "../messages/messages.ts";
import { getItem } from "../table/table.ts";
import { put, type Write } from "../table/writes.ts";

/** That what came of calling a bot has been posted: a job that is delivered again posts nothing again. */
export interface WebhookOutcome {
  messageId: number;
  botId: number;
  /** "unavailable": its failure was told, and a job that an operator redrives may still succeed. */
  outcome: "done" | "unavailable";
}

/** As long as a dead-letter queue keeps a job, and a day. */
const keptSeconds = 15 * 86_400;

type Id = Pick<WebhookOutcome, "messageId" | "botId">;
const key = ({ messageId, botId }: Id) => ({ pk: messagePartition(messageId), sk: `WEBHOOK#${botId}` });

/** Strongly consistent: 1 read unit. */
export const findWebhookOutcome = (id: Id) => getItem<WebhookOutcome>(key(id), { consistent: true });

/** Belongs into the transaction of the messages that tell the outcome; fails it when another has told one meanwhile. */
export const putWebhookOutcome = (outcome: WebhookOutcome, before: WebhookOutcome | undefined): Write =>
  put(
    { ...key(outcome), ...outcome, expiresAt: Math.floor(Date.now() / 1000) + keptSeconds },
    before ? { equals: { outcome: before.outcome } } : { exists: false },
  );
