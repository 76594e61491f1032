import { int, oneOf } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Why a message calls a bot (4.20). */
export const triggers = ["direct_message", "mention"] as const;
export type Trigger = (typeof triggers)[number];

/** Tells an outgoing-webhook bot's service of a message, and posts what it answers. */
export const deliverWebhook = jobKind("outgoing-webhooks", "outgoing-webhooks", {
  message_id: int(),
  bot_id: int(),
  trigger: oneOf(triggers),
});
