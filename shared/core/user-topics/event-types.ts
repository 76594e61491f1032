import {
  int,
  list,
  literal,
  oneOfInts,
  type Param,
  strictObject,
  text,
  union,
  type Value,
} from "../../base/schema/params.ts";
import { visibilityPolicies } from "../../store/channels/user-topics.ts";

/** A topic's visibility policy: 0 none, 1 muted, 2 unmuted, 3 followed. `last_updated`: UNIX seconds. */
export const userTopicEvent = strictObject({
  type: literal("user_topic"),
  stream_id: int(),
  topic_name: text(),
  last_updated: int(),
  visibility_policy: oneOfInts(Object.values(visibilityPolicies)),
});
export type UserTopicEvent = Value<typeof userTopicEvent>;

export type MutedTopic = [channel: string, topic: string, mutedAt: number];

/** All muted topics as channel name, topic and UNIX seconds, for clients without support for `user_topic`. */
export const mutedTopicsEvent = strictObject({
  type: literal("muted_topics"),
  muted_topics: list(list(union([text(), int()], "a text or an integer"))) as Param<MutedTopic[]>,
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    muted_topics: Value<typeof mutedTopicsEvent>;
    user_topic: UserTopicEvent;
  }
}
