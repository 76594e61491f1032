import type { UserTopic, VisibilityPolicy } from "../store/channels/user-topics.ts";
import type { UserTopicEvent } from "./event-types.ts";

type PolicyChange = Pick<UserTopic, "channelId" | "topic" | "updatedAt"> & { policy: VisibilityPolicy | 0 };

/** The event of a changed visibility policy; see https://zulip.com/api/get-events#user_topic. */
export const userTopicChangedEvent = ({ channelId, topic, updatedAt, policy }: PolicyChange): UserTopicEvent => ({
  type: "user_topic",
  stream_id: channelId,
  topic_name: topic,
  last_updated: updatedAt,
  visibility_policy: policy,
});
