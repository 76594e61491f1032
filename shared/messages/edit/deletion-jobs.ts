import { jobKind } from "../../jobs/queues.ts";
import { int, list } from "../../schema/params.ts";

/** Deletes previous contents and submessages of deleted messages. */
export const deleteDetailsJob = jobKind("background-jobs", "message-leftovers", { message_ids: list(int()) });
