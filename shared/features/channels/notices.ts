import { quoted } from "../../core/markdown/source/fenced.ts";
import { channelReference, silentMention } from "../../core/markdown/source/references.ts";
import type { OutgoingMessage } from "../../messaging/messages/send/actions.ts";
import { composeChannelNotice } from "../../messaging/messages/send/notices.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type Channel, findChannel } from "../../store/channels/channels.ts";
import type { User } from "../../store/users/users.ts";

/** Messages from Notification Bot about channels. */

const eventsTopic = "channel events";

type NamedUser = Pick<User, "id" | "fullName">;

/** The caller with the name that messages use. */
export const findNamedCaller = async (caller: Caller, realm: Realm): Promise<NamedUser> =>
  (await findCachedProfiles([caller.id], realm.usersVersion)).get(caller.id) ?? {
    id: caller.id,
    fullName: caller.email,
  };

/** Composes a message to a channel's topic for channel events, or to the empty topic where only that is allowed. */
export const channelNotice = (realm: Realm, channel: Channel, text: string): Promise<OutgoingMessage> =>
  composeChannelNotice(realm, channel, channel.topicsPolicy === "empty_topic_only" ? "" : eventsTopic, text);

export const composeFirstNotice = (realm: Realm, channel: Channel, creator: NamedUser): Promise<OutgoingMessage> => {
  return channelNotice(
    realm,
    channel,
    `**${policyName(channel)}** channel created by ${silentMention(creator)}. **Description:**\n${quotedDescription(channel)}`,
  );
};

export const quotedDescription = ({ description }: Pick<Channel, "description">): string =>
  quoted(description || "*No description.*");

export function policyName({ isWebPublic, inviteOnly, historyPublicToSubscribers }: Channel): string {
  if (isWebPublic) return "Web-public";
  if (!inviteOnly) return "Public";
  return historyPublicToSubscribers ? "Private, shared history" : "Private, protected history";
}

/** The announcement of a new channel, if the organization has a channel for it; private channels are not announced. */
export async function composeAnnouncement(
  realm: Realm,
  newChannel: Channel,
  creator: NamedUser,
): Promise<OutgoingMessage[]> {
  const id = realm.settings.new_stream_announcements_stream_id;
  if (id < 0 || newChannel.inviteOnly) return [];
  const channel = await findChannel(id);
  if (!channel || channel.isArchived) return [];
  const topic = channel.topicsPolicy === "empty_topic_only" ? "" : "new channels";
  const text = `${silentMention(creator)} created a new channel ${channelReference(newChannel)}.`;
  return [await composeChannelNotice(realm, channel, topic, text, { known: [newChannel] })];
}

/** The notice for a user whom somebody else subscribed to channels. */
export const subscribedText = (actor: NamedUser, channels: readonly Pick<Channel, "id" | "name">[]): string =>
  channels.length === 1
    ? `${silentMention(actor)} subscribed you to the channel ${channels.map(channelReference)}.`
    : `${silentMention(actor)} subscribed you to the following channels:\n\n${channels.map((channel) => `* ${channelReference(channel)}`).join("\n")}`;
