import { jobKind } from "../../jobs/queues.ts";
import { int, optional } from "../../schema/params.ts";

/** Deletes a channel's expired messages; without a channel ID, expired direct messages. */
export const removeExpiredMessagesJob = jobKind("background-jobs", "message-expiry", { channel_id: optional(int()) });
