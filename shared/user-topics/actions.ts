import type { Channel } from "../store/channels.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import {
  deleteUserTopic,
  listUserTopics,
  putUserTopic,
  type UserTopic,
  type VisibilityPolicy,
} from "../store/user-topics.ts";
import { userTopicEvent } from "./events.ts";
import { wireMutedTopics } from "./state.ts";

/** Keeps what a user chose for a topic; 0 takes the choice back. False, and nothing happens, when it is so already. */
export async function setTopicPolicy(
  userId: number,
  channel: Channel,
  topic: string,
  policy: VisibilityPolicy | 0,
): Promise<boolean> {
  const known = await listUserTopics(userId);
  const isThis = (one: UserTopic) => one.channelId === channel.id && one.topic.toLowerCase() === topic.toLowerCase();
  const before = known.find(isThis);
  if ((before?.policy ?? 0) === policy) return false;
  const updatedAt = Math.floor(Date.now() / 1000);
  const others = known.filter((one) => !isThis(one));
  const changed = { userId, channelId: channel.id, topic, updatedAt };
  const after: UserTopic[] = policy === 0 ? others : [...others, { ...changed, policy }];
  const own = (event: LoggedEvent["event"]): LoggedEvent => ({ audience: { kind: "users", userIds: [userId] }, event });
  const events = [own(userTopicEvent({ ...changed, policy }))];
  // Older clients hear of muted topics alone, each time of all of them.
  if (policy === 1 || before?.policy === 1)
    events.push(own({ type: "muted_topics", muted_topics: await wireMutedTopics(after) }));
  return commit({ events: events.length }, () => ({
    writes: [policy === 0 ? deleteUserTopic(changed) : putUserTopic({ ...changed, policy })],
    events,
    result: true,
  }));
}
