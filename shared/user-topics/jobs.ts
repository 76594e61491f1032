import { jobKind } from "../jobs/queues.ts";
import { int, list, text } from "../schema/params.ts";

/** Lets users follow a topic in which a message has mentioned them. */
export const followMentionedJob = jobKind("background-jobs", "follow-mentioned", {
  channel_id: int(),
  topic: text(),
  user_ids: list(int()),
});
