import { int, list, string } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** Checks again whether a channel with the policy `empty_topic_only` has no other topics. Idempotent. */
export const recheckTopicsPolicyJob = jobKind("background-jobs", "recheck-topics-policy", { channel_id: int() });

/** Notifies users of subscriptions that started after message ID `after`; `id` identifies the request. */
export const notifySubscribedJob = jobKind("background-jobs", "notify-subscribed", {
  id: string(),
  by: int(),
  user_ids: list(int()),
  channel_ids: list(int()),
  after: int(),
});

/** Continues the deletion of a topic that its request could not finish in time. */
export const continueTopicDeletionJob = jobKind("background-jobs", "continue-topic-deletion", {
  deletion_id: string(),
});
