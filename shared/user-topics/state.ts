import { findChannels } from "../store/channels.ts";
import { listUserTopics, type UserTopic } from "../store/user-topics.ts";
import type { Caller } from "../users/caller.ts";

/** What a client that registers is told of the topics for which the caller has chosen something. */
export const userTopicState = async (caller: Caller) => ({
  user_topics: (await listUserTopics(caller.id)).map(({ channelId, topic, policy, updatedAt }) => ({
    stream_id: channelId,
    topic_name: topic,
    last_updated: updatedAt,
    visibility_policy: policy as number,
  })),
});

/** The same for older clients: muted topics alone, by their channels' names. */
export const mutedTopicsState = async (caller: Caller) => ({
  muted_topics: await wireMutedTopics(await listUserTopics(caller.id)),
});

/** `[channel name, topic, time]` for each muted topic of a list. */
export async function wireMutedTopics(topics: readonly UserTopic[]): Promise<[string, string, number][]> {
  const muted = topics.filter(({ policy }) => policy === 1);
  const channels = await findChannels(muted.map(({ channelId }) => channelId));
  return muted.flatMap(({ topic, updatedAt }, index) => {
    const channel = channels[index];
    return channel ? [[channel.name, topic, updatedAt] as [string, string, number]] : [];
  });
}
