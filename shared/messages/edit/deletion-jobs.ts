import { jobKind } from "../../jobs/queues.ts";
import { int, list } from "../../schema/params.ts";

/** Deletes previous contents and submessages of deleted messages. */
export const deleteMessageDetailsJob = jobKind("background-jobs", "delete-message-details", {
  message_ids: list(int()),
});
