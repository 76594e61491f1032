import type { LoggedEvent } from "../store/log.ts";
import type { UserTopic, VisibilityPolicy } from "../store/user-topics.ts";

type Changed = Pick<UserTopic, "channelId" | "topic" | "updatedAt"> & { policy: VisibilityPolicy | 0 };

/** What a person hears of a topic for which they chose something (companion reference, D). */
export const userTopicEvent = ({ channelId, topic, updatedAt, policy }: Changed): LoggedEvent["event"] => ({
  type: "user_topic",
  stream_id: channelId,
  topic_name: topic,
  last_updated: updatedAt,
  visibility_policy: policy,
});
