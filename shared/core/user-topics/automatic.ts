import type { Need } from "../../base/needs.ts";
import { effectiveUserSettings, type UserSettings } from "../../base/schema/user-settings.ts";
import { type Caller, isBot } from "../../services/identity/caller.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { type Channel, findChannel } from "../../store/channels/channels.ts";
import { findSubscription } from "../../store/channels/subscriptions.ts";
import {
  findUserTopic,
  listUserTopics,
  type VisibilityPolicy,
  visibilityPolicies,
} from "../../store/channels/user-topics.ts";
import { type ChangePart, commit, noChange } from "../../store/log/log.ts";
import { findMessage } from "../../store/messages/messages.ts";
import { findUserSettings } from "../../store/users/user-settings.ts";
import { hasTopic, isSameTopic } from "../channels/topics.ts";
import { topicPolicyChange } from "./actions.ts";
import type { MutedTopic } from "./event-types.ts";
import { toMutedTopicsWire } from "./state.ts";

const { none, muted, unmuted, followed } = visibilityPolicies;
type RaisedPolicy = typeof unmuted | typeof followed;

/** Zulip's numbers for when the settings set a policy: each includes the later ones. */
const when = { participating: 1, sending: 2, starting: 3 } as const;

/** Whether a setting applies to a user who sends a message. */
const appliesToSending = (setting: number, startsTopic: boolean) =>
  setting <= when.sending || (setting === when.starting && startsTopic);

/** The visibility policy that sending a message sets for its sender, who had none or a lower one. */
export interface PolicyRaise {
  policy: RaisedPolicy;
  /** The topics that remain muted, for an event to legacy clients; only if this topic was muted. */
  mutedTopics?: MutedTopic[] | undefined;
}

/**
 * The policy that a user's settings set for a topic to which they are about to send: followed, or unmuted in a muted channel;
 * undefined if unchanged. Must run before the message is sent. Costs nothing for bots, otherwise at most 1.5 read units, mostly
 * 1; more if the topic was muted.
 */
export async function policyAfterSending(
  caller: Caller,
  { channel, topic, isMuted }: { channel: Channel; topic: string; isMuted?: boolean },
): Promise<PolicyRaise | undefined> {
  if (isBot(caller)) return undefined;
  const [storedSettings, isExisting] = await Promise.all([findUserSettings(caller.id), hasTopic(channel.id, topic)]);
  const settings = effectiveUserSettings(storedSettings ?? {});
  const startsTopic = !isExisting;
  const policy = appliesToSending(settings.automatically_follow_topics_policy, startsTopic)
    ? followed
    : isMuted && appliesToSending(settings.automatically_unmute_topics_in_muted_streams_policy, startsTopic)
      ? unmuted
      : undefined;
  if (policy === undefined) return undefined;
  const current = (await findUserTopic(caller.id, channel.id, topic))?.policy ?? none;
  if (!isRaise(current, policy)) return undefined;
  return { policy, mutedTopics: current === muted ? await mutedTopicsWithout(caller.id, channel, topic) : undefined };
}

async function mutedTopicsWithout(userId: number, channel: Channel, topic: string): Promise<MutedTopic[]> {
  const userTopics = await listUserTopics(userId);
  return toMutedTopicsWire(userTopics.filter((userTopic) => !isSameTopic(userTopic, { channelId: channel.id, topic })));
}

/** Whether a policy is higher than the current one. Following outranks unmuting. */
const isRaise = (current: VisibilityPolicy | typeof none, policy: RaisedPolicy) =>
  current !== policy && current !== followed;

/** The settings that say what participation does; undefined for bots. */
export const participationSettings: Need<UserSettings | undefined, { caller: Caller }> = {
  load: async ({ caller }) =>
    isBot(caller) ? undefined : effectiveUserSettings((await findUserSettings(caller.id)) ?? {}),
};

/**
 * The change that a reaction or vote makes of the policy of its topic, if the user's settings say so with `participating`, which
 * is not the default. Costs 0.5 read units otherwise; none for bots.
 */
export async function policyChangeByParticipation(
  caller: Caller,
  channel: Channel,
  topic: string,
  settings: UserSettings | undefined,
): Promise<ChangePart> {
  if (!settings) return noChange;
  if (settings.automatically_follow_topics_policy === when.participating)
    return raisePolicy(caller, channel, topic, followed);
  if (settings.automatically_unmute_topics_in_muted_streams_policy !== when.participating) return noChange;
  const isMuted = (await findSubscription(caller.id, channel.id))?.isMuted === true;
  return isMuted ? raisePolicy(caller, channel, topic, unmuted) : noChange;
}

/** How many users one message may let follow its topic. Each costs up to 3 read units and 8 write units. */
export const maxFollowers = 20;

/**
 * Lets users follow the topic of a message that mentions them by name, if their settings say so, which is the default, and they
 * have not muted it: the topic that the message is in by now. Idempotent.
 */
export async function followMentioned(messageId: number, userIds: readonly number[]): Promise<void> {
  const [message, realm] = await Promise.all([findMessage(messageId), loadRealm()]);
  const channel = message?.channelId === undefined ? undefined : await findChannel(message.channelId);
  if (!channel) return;
  const topic = message?.topic ?? "";
  const people = await findCachedProfiles(userIds, realm.usersVersion);
  await Promise.all(
    [...people.values()].map(async (user) => {
      if (isBot(user) || !user.active) return;
      const [storedSettings, subscription, current] = await Promise.all([
        findUserSettings(user.id),
        findSubscription(user.id, channel.id),
        findUserTopic(user.id, channel.id, topic),
      ]);
      if (!subscription?.active || current?.policy === muted || current?.policy === followed) return;
      if (!effectiveUserSettings(storedSettings ?? {}).automatically_follow_topics_where_mentioned) return;
      const change = await topicPolicyChange(user.id, channel, topic, followed);
      if (change) await commit(change);
    }),
  );
}

/** Sets a policy unless the user's own is higher. */
async function raisePolicy(caller: Caller, channel: Channel, topic: string, policy: RaisedPolicy): Promise<ChangePart> {
  const current = (await findUserTopic(caller.id, channel.id, topic))?.policy ?? none;
  const change = isRaise(current, policy) ? await topicPolicyChange(caller.id, channel, topic, policy) : undefined;
  return change ?? noChange;
}
