import { int, optional } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Looks for channels that hold expired messages, and for expired direct messages. */
export const sweepExpired = jobKind("message-expiry-sweeps", {});

/** Removes a channel's expired messages; without a channel, those between people. */
export const removeExpired = jobKind("message-expiry", { channel_id: optional(int()) });
