import { int, list } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** Lets users follow the topic of a message that mentions them. */
export const followMentionedJob = jobKind("background-jobs", "follow-mentioned", {
  message_id: int(),
  user_ids: list(int()),
});
