import type { Channel } from "../store/channels.ts";
import { findSubscription } from "../store/subscriptions.ts";
import { findTopic } from "../store/topics.ts";
import { findUserSettings } from "../store/user-settings.ts";
import { findUserTopic, type VisibilityPolicy } from "../store/user-topics.ts";
import { type Caller, isBot } from "../users/caller.ts";
import { effectiveUserSettings } from "../users/settings.ts";
import { setTopicPolicy } from "./actions.ts";

/** Unmuted or followed. */
export type RaisedPolicy = 2 | 3;

/** What a user's settings say of topics in which they write: 1 and 2 any, 3 those that they begin, 4 none. */
const applies = (setting: number, begins: boolean) => setting === 1 || setting === 2 || (setting === 3 && begins);

/** A topic's policy that a message raises for its sender. */
export interface Raise {
  policy: RaisedPolicy;
  /** Older clients hear of what is muted, all of it: that is not told with the message. */
  wasMuted: boolean;
  /** Whether the message begins the topic. */
  begins: boolean;
}

/**
 * What a person's settings make of a topic that they are about to write in: followed, or shown in a channel that they
 * have muted; undefined when it is so already. At most 1.5 read units, mostly 1, and none for bots; to be asked before
 * the message is sent.
 */
export async function raiseBySending(
  caller: Caller,
  { channel, topic, isMuted }: { channel: Channel; topic: string; isMuted?: boolean },
): Promise<Raise | undefined> {
  if (isBot(caller)) return undefined;
  const [stored, known] = await Promise.all([findUserSettings(caller.id), findTopic(channel.id, topic)]);
  const settings = effectiveUserSettings(stored ?? {});
  const policy = applies(settings.automatically_follow_topics_policy, !known)
    ? 3
    : isMuted && applies(settings.automatically_unmute_topics_in_muted_streams_policy, !known)
      ? 2
      : undefined;
  if (policy === undefined) return undefined;
  const current = (await findUserTopic(caller.id, channel.id, topic))?.policy ?? 0;
  return raises(current, policy) ? { policy, wasMuted: current === 1, begins: !known } : undefined;
}

/** Following is more than being shown, and neither is set twice. */
const raises = (current: VisibilityPolicy | 0, policy: RaisedPolicy) => current !== policy && current !== 3;

/**
 * Raises the policy of a topic in which a person has just taken part without writing, by a reaction or a vote, as their
 * settings say. 0.5 read units for those who want none of that, as everybody does at first; none for bots.
 */
export async function noteParticipation(caller: Caller, channel: Channel, topic: string): Promise<void> {
  if (isBot(caller)) return;
  const settings = effectiveUserSettings((await findUserSettings(caller.id)) ?? {});
  if (settings.automatically_follow_topics_policy === 1) {
    await raisePolicy(caller, channel, topic, 3);
    return;
  }
  if (settings.automatically_unmute_topics_in_muted_streams_policy !== 1) return;
  if ((await findSubscription(caller.id, channel.id))?.isMuted) await raisePolicy(caller, channel, topic, 2);
}

/** Applies such a policy unless it would lower what the person chose. */
async function raisePolicy(caller: Caller, channel: Channel, topic: string, policy: RaisedPolicy): Promise<void> {
  const current = (await findUserTopic(caller.id, channel.id, topic))?.policy ?? 0;
  if (raises(current, policy)) await setTopicPolicy(caller.id, channel, topic, policy);
}
