import { jobKind } from "../../jobs/queues.ts";
import { int, optional } from "../../schema/params.ts";

/** Deletes a channel's expired messages; without a channel ID, expired direct messages. */
export const removeExpiredMessagesJob = jobKind("background-jobs", "remove-expired-messages", {
  channel_id: optional(int()),
});
