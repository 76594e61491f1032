import { int, list } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Removes former texts and submessages of messages that were deleted. */
export const removeMessageLeftovers = jobKind("chores", "message-leftovers", { message_ids: list(int()) });
