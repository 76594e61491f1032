import type { Channel } from "../store/channels.ts";
import { findSubscription } from "../store/subscriptions.ts";
import { findTopic } from "../store/topics.ts";
import { findUserSettings } from "../store/user-settings.ts";
import { findUserTopic } from "../store/user-topics.ts";
import { type Caller, isBot } from "../users/caller.ts";
import { effectiveUserSettings } from "../users/settings.ts";
import { setTopicPolicy } from "./actions.ts";

/** Unmuted or followed. */
export type RaisedPolicy = 2 | 3;

/** What a user's settings say of topics in which they write: 1 and 2 any, 3 those that they begin, 4 none. */
const applies = (setting: number, begins: boolean) => setting === 1 || setting === 2 || (setting === 3 && begins);

/**
 * What a person's settings make of a topic that they are about to write in: followed, or shown in a channel that they
 * have muted. At most 1.5 read units, and none for bots; to be asked before the message is sent.
 */
export async function policyForSending(
  caller: Caller,
  channel: Channel,
  topic: string,
): Promise<RaisedPolicy | undefined> {
  if (isBot(caller)) return undefined;
  const settings = effectiveUserSettings((await findUserSettings(caller.id)) ?? {});
  const follow = settings.automatically_follow_topics_policy;
  const unmute = settings.automatically_unmute_topics_in_muted_streams_policy;
  if (follow === 4 && unmute === 4) return undefined;
  const [known, subscription] = await Promise.all([
    follow === 3 || unmute === 3 ? findTopic(channel.id, topic) : undefined,
    unmute === 4 ? undefined : findSubscription(caller.id, channel.id),
  ]);
  if (applies(follow, !known)) return 3;
  return subscription?.isMuted && applies(unmute, !known) ? 2 : undefined;
}

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

/** Applies such a policy unless it would lower what the person chose; returns the new one if there is one. */
export async function raisePolicy(
  caller: Caller,
  channel: Channel,
  topic: string,
  policy: RaisedPolicy,
): Promise<RaisedPolicy | undefined> {
  const current = (await findUserTopic(caller.id, channel.id, topic))?.policy;
  if (policy === 2 && current === 3) return undefined;
  return (await setTopicPolicy(caller.id, channel, topic, policy)) ? policy : undefined;
}
