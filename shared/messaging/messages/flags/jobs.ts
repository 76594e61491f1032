import { int, list, optional } from "../../../base/schema/params.ts";
import { jobKind } from "../../../services/jobs/queues.ts";

/**
 * Marks the messages of a channel up to the ID `up_to` as read, for users who left it; without `user_ids` for all subscribers
 * with IDs above `after_user`, because the channel was archived. Idempotent.
 */
export const markUnseenJob = jobKind("background-jobs", "mark-unseen", {
  channel_id: int(),
  up_to: int(),
  user_ids: optional(list(int())),
  after_user: optional(int()),
});

/** Marks the messages of a user whom another has muted, up to the ID `up_to`, as read for the latter. Idempotent. */
export const markMutedJob = jobKind("background-jobs", "mark-muted", { user_id: int(), muted_id: int(), up_to: int() });

/** Lets stars follow messages that were moved to another channel. Idempotent. */
export const followMessagesJob = jobKind("background-jobs", "stars-follow-messages", { message_ids: list(int()) });
