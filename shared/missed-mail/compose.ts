import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/facts.ts";
import { urlOf } from "../messages/links.ts";
import type { Realm } from "../organization/access.ts";
import { notificationText } from "../push/text.ts";
import { ownUrl } from "../settings.ts";
import type { Channel } from "../store/channels.ts";
import type { Message } from "../store/messages.ts";
import type { User } from "../store/users.ts";
import type { UserSettings } from "../users/settings.ts";

/** A mail holds so many messages, each of so many characters: SQS carries 256 KB. */
const mostShown = 20;
const mostCharacters = 1500;
/** `realm_name_in_email_notifications_policy`: always. "Automatic" is for people of several organizations. */
const always = 2;

/** The messages that somebody missed in one conversation, oldest first, and what is known around them. */
export interface Missed {
  reader: User;
  settings: UserSettings;
  realm: Realm;
  messages: readonly [Message, ...Message[]];
  users: ReadonlyMap<number, User>;
  channel: Channel | undefined;
}

/** The mail about them, of plain text. Pure. */
export function composeMail(missed: Missed): { subject: string; text: string } {
  const { settings, realm, messages, users } = missed;
  const shown =
    settings.message_content_in_email_notifications && realm.settings.message_content_allowed_in_email_notifications;
  const suffix = settings.realm_name_in_email_notifications_policy === always ? ` [${realm.name}]` : "";
  const more = messages.length - mostShown;
  const nameOf = (id: number) => users.get(id)?.fullName ?? "Somebody";
  const parts = shown
    ? [
        ...messages
          .slice(0, mostShown)
          .map(({ senderId, html }) => `${nameOf(senderId)}:\n${notificationText(html, mostCharacters)}`),
        ...(more > 0 ? [`… and ${more} more`] : []),
      ]
    : [
        `You have ${messages.length === 1 ? "a new message" : `${messages.length} new messages`} in ${realm.name}.`,
        settings.message_content_in_email_notifications
          ? "This e-mail does not include message content because your organization has disabled that."
          : "This e-mail does not include message content because you have disabled that.",
      ];
  return {
    subject: (shown ? placeName(missed) : "New messages") + suffix,
    text: [...parts, `-- \n${footer(missed, shown)}`].join("\n\n"),
  };
}

function placeName({ reader, realm, messages, users, channel }: Missed): string {
  const [{ channelId, topic, userIds = [] }] = messages;
  if (channelId !== undefined) return `#${channel?.name ?? ""} > ${topic || realm.settings.empty_topic_display_name}`;
  const others = userIds.filter((id) => id !== reader.id).map((id) => users.get(id)?.fullName ?? "Somebody");
  return `${others.length > 1 ? "Group DMs" : "DMs"} with ${listed(others)}`;
}

const listed = (names: readonly string[]) =>
  names.length <= 3 ? names.join(", ").replace(/, (?=[^,]*$)/, " and ") : `${names.slice(0, 3).join(", ")} and others`;

function footer(missed: Missed, shown: boolean): string {
  const [first] = missed.messages;
  const why = reason(missed);
  return [
    ...(why ? [`You are receiving this because ${why}.`] : []),
    // The address tells the topic.
    ...(shown
      ? [`Reply in ${missed.realm.name}: ${urlOf(first)}`]
      : [`See them in ${missed.realm.name}: ${ownUrl()}/`]),
    `Change what you are mailed: ${ownUrl()}/#settings/notifications\n`,
  ].join("\n");
}

function reason({ reader, messages }: Missed): string | undefined {
  if (messages[0].channelId === undefined) return undefined;
  if (messages.some((message) => mentionedUsers(message).includes(reader.id))) return "you were mentioned";
  if (messages.some((message) => mentionedGroups(message).length > 0)) return "a group was mentioned";
  if (messages.some((message) => mentionsChannel(message) || mentionsTopic(message))) return "everyone was mentioned";
  return "you follow the topic or asked for mail of all messages in the channel";
}
