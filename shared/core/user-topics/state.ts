import type { Caller } from "../../services/identity/caller.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { listUserTopics, type UserTopic, visibilityPolicies } from "../../store/channels/user-topics.ts";
import type { MutedTopic } from "./event-types.ts";
import { toUserTopicWire } from "./events.ts";

export const userTopicState = async (caller: Caller) => ({
  user_topics: (await listUserTopics(caller.id)).map(toUserTopicWire),
});

/** The initial state for legacy clients, which know only muted topics, by channel name. */
export const mutedTopicsState = async (caller: Caller) => ({
  muted_topics: await toMutedTopicsWire(await listUserTopics(caller.id)),
});

/** Picks the muted topics of a list; leaves out those of deleted channels. */
export async function toMutedTopicsWire(topics: readonly UserTopic[]): Promise<MutedTopic[]> {
  const muted = topics.filter(({ policy }) => policy === visibilityPolicies.muted);
  const channels = await findChannels(muted.map(({ channelId }) => channelId));
  return muted.flatMap(({ topic, updatedAt }, index) => {
    const channel = channels[index];
    return channel ? [[channel.name, topic, updatedAt] satisfies MutedTopic] : [];
  });
}
