import type { OutgoingMessage } from "../messages/actions.ts";
import { noticeIn } from "../messages/notices.ts";
import type { Realm } from "../organization/access.ts";
import { type Channel, findChannel } from "../store/channels.ts";
import type { User } from "../store/users.ts";

/** What Notification Bot says of channels. */

const eventsTopic = "channel events";

type Named = Pick<User, "id" | "fullName">;
/** A name that is linked and notifies nobody. */
export const silently = ({ id, fullName }: Named) => `@_**${fullName}|${id}**`;

/** A message in a channel's topic for its own events; a channel that knows only the empty topic has it there. */
export const channelNotice = (realm: Realm, channel: Channel, text: string): Promise<OutgoingMessage> =>
  noticeIn(realm, channel, channel.topicsPolicy === "empty_topic_only" ? "" : eventsTopic, text);

/** The first message of a new channel. */
export const firstNotice = (realm: Realm, channel: Channel, creator: Named): Promise<OutgoingMessage> => {
  const description = channel.description === "" ? "*No description.*" : channel.description;
  return channelNotice(
    realm,
    channel,
    `**${policyName(channel)}** channel created by ${silently(creator)}. **Description:**\n\`\`\`\`\` quote\n${description}\n\`\`\`\`\``,
  );
};

/** The words for a channel's kind. */
export function policyName({ isWebPublic, inviteOnly, historyPublicToSubscribers }: Channel): string {
  if (isWebPublic) return "Web-public";
  if (!inviteOnly) return "Public";
  return historyPublicToSubscribers ? "Private, shared history" : "Private, protected history";
}

/** The announcement of a new channel, where the organization has a channel for that; a private one stays unnamed. */
export async function announcement(realm: Realm, created: Channel, creator: Named): Promise<OutgoingMessage[]> {
  const id = realm.settings.new_stream_announcements_stream_id;
  if (id < 0 || created.inviteOnly) return [];
  const channel = await findChannel(id);
  if (!channel || channel.isArchived) return [];
  const topic = channel.topicsPolicy === "empty_topic_only" ? "" : "new channels";
  const text = `${silently(creator)} created a new channel #**${created.name}**.`;
  return [await noticeIn(realm, channel, topic, text, { known: [created] })];
}

/** The text that tells someone to which channels somebody else has subscribed them. */
export const subscribedText = (by: Named, channels: readonly Pick<Channel, "name">[]): string =>
  channels.length === 1
    ? `${silently(by)} subscribed you to the channel #**${channels[0]?.name}**.`
    : `${silently(by)} subscribed you to the following channels:\n\n${channels.map(({ name }) => `* #**${name}**`).join("\n")}`;
