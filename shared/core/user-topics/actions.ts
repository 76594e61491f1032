import { nowSeconds } from "../../base/time.ts";
import type { Channel } from "../../store/channels/channels.ts";
import {
  deleteUserTopic,
  listUserTopics,
  putUserTopic,
  type UserTopic,
  type VisibilityPolicy,
  visibilityPolicies,
} from "../../store/channels/user-topics.ts";
import { eventForUser } from "../../store/log/entry.ts";
import type { ChangePart } from "../../store/log/log.ts";
import { isSameTopic } from "../channels/topics.ts";
import { userTopicChangedEvent } from "./events.ts";
import { toMutedTopicsWire } from "./state.ts";

/** Sets a user's visibility policy for a topic; `none` removes it. Undefined if it is the policy already. */
export async function topicPolicyChange(
  userId: number,
  channel: Channel,
  topic: string,
  policy: VisibilityPolicy | typeof visibilityPolicies.none,
): Promise<ChangePart | undefined> {
  const userTopics = await listUserTopics(userId);
  const isChangedTopic = (userTopic: UserTopic) => isSameTopic(userTopic, { channelId: channel.id, topic });
  const before = userTopics.find(isChangedTopic);
  if ((before?.policy ?? visibilityPolicies.none) === policy) return undefined;
  const updatedAt = nowSeconds();
  const others = userTopics.filter((userTopic) => !isChangedTopic(userTopic));
  const changed = { userId, channelId: channel.id, topic, updatedAt };
  const after: UserTopic[] = policy === visibilityPolicies.none ? others : [...others, { ...changed, policy }];
  const events = [eventForUser(userId, userTopicChangedEvent({ ...changed, policy }))];
  // Legacy clients receive the list of all muted topics whenever it changes.
  if ([policy, before?.policy].includes(visibilityPolicies.muted))
    events.push(eventForUser(userId, { type: "muted_topics", muted_topics: await toMutedTopicsWire(after) }));
  return {
    writes: [policy === visibilityPolicies.none ? deleteUserTopic(changed) : putUserTopic({ ...changed, policy })],
    events,
  };
}
