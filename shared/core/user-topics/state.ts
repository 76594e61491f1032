import type { Caller } from "../../services/identity/caller.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { listUserTopics, type UserTopic, visibilityPolicies } from "../../store/channels/user-topics.ts";
import { type ChannelNames, findVisibleChannelNames } from "../channels/visible-names.ts";
import type { MutedTopic } from "./event-types.ts";
import { toUserTopicWire } from "./events.ts";

export const userTopicState = async (caller: Caller) => ({
  user_topics: (await listUserTopics(caller.id)).map(toUserTopicWire),
});

const mutedAmong = (topics: readonly UserTopic[]) => topics.filter(({ policy }) => policy === visibilityPolicies.muted);

const withNames = (muted: readonly UserTopic[], names: ChannelNames): MutedTopic[] =>
  muted.flatMap(({ channelId, topic, updatedAt }) => {
    const name = names.get(channelId);
    return name === undefined ? [] : [[name, topic, updatedAt] satisfies MutedTopic];
  });

/** The state for legacy clients, which know only muted topics, by channel name: those in channels that the caller may see. */
export async function mutedTopicsState(caller: Caller): Promise<{ muted_topics: MutedTopic[] }> {
  const muted = mutedAmong(await listUserTopics(caller.id));
  const names = await findVisibleChannelNames(
    caller,
    muted.map(({ channelId }) => channelId),
  );
  return { muted_topics: withNames(muted, names) };
}

/** The muted topics of a list, as the log names them: for clients, `mutedTopicsState` reads them again. */
export async function toMutedTopicsWire(topics: readonly UserTopic[]): Promise<MutedTopic[]> {
  const muted = mutedAmong(topics);
  const channels = await findChannels(muted.map(({ channelId }) => channelId));
  return withNames(muted, new Map(channels.flatMap((channel) => (channel ? [[channel.id, channel.name]] : []))));
}
