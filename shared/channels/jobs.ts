import { int, list, string } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Looks whether a channel that takes the empty topic alone holds no other; doing it again changes nothing. */
export const settleTopicsPolicyJob = jobKind("chores", "channel-topics", { channel_id: int() });

/** Tells people of subscriptions that began with messages later than `after`; `id` tells requests apart. */
export const tellSubscribedJob = jobKind("chores", "subscription-notices", {
  id: string(),
  by: int(),
  user_ids: list(int()),
  channel_ids: list(int()),
  after: int(),
});

/** Goes on with the deletion of a topic that its request could not finish. */
export const continueTopicDeletion = jobKind("chores", "topic-deletions", { deletion_id: string() });
