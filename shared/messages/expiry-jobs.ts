import { int, optional } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Removes a channel's expired messages; without a channel, those between people. */
export const removeExpired = jobKind("chores", "message-expiry", { channel_id: optional(int()) });
