import { int, list, text } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** Lets users follow a topic in which a message has mentioned them. */
export const followMentionedJob = jobKind("background-jobs", "follow-mentioned", {
  channel_id: int(),
  topic: text(),
  user_ids: list(int()),
});
