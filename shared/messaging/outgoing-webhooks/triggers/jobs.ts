import { int, oneOf } from "../../../base/schema/params.ts";
import { jobKind } from "../../../services/jobs/queues.ts";

/** Why a message triggers a bot. See https://zulip.com/api/outgoing-webhooks. */
export const triggers = ["direct_message", "mention"] as const;
export type Trigger = (typeof triggers)[number];

/** Sends a message to an outgoing webhook bot's service and posts the response. */
export const deliverWebhookJob = jobKind("outgoing", "deliver-webhook", {
  message_id: int(),
  bot_id: int(),
  trigger: oneOf(triggers),
});
