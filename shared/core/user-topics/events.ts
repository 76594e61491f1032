import type { UserTopic, VisibilityPolicy } from "../../store/channels/user-topics.ts";
import type { UserTopicEvent } from "./event-types.ts";

type PolicyChange = Pick<UserTopic, "channelId" | "topic" | "updatedAt"> & { policy: VisibilityPolicy | 0 };

export const toUserTopicWire = ({ channelId, topic, updatedAt, policy }: PolicyChange) => ({
  stream_id: channelId,
  topic_name: topic,
  last_updated: updatedAt,
  visibility_policy: policy,
});

/** The event of a changed visibility policy; see https://zulip.com/api/get-events#user_topic. */
export const userTopicChangedEvent = (change: PolicyChange): UserTopicEvent => ({
  type: "user_topic",
  ...toUserTopicWire(change),
});
