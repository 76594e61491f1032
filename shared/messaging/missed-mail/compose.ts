import { serverUrl } from "../../base/environment.ts";
import { escapeHtml } from "../../base/html.ts";
import type { UserSettings } from "../../base/schema/user-settings.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { Channel } from "../../store/channels/channels.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { User } from "../../store/users/users.ts";
import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/html-facts.ts";
import { messageUrl } from "../messages/links.ts";
import { notificationText } from "../notifications/text.ts";
import { mailHtml } from "./html.ts";

/** Limits of one e-mail, because it is sent through an SQS message, which may have 256 KB. */
export const maxMessages = 20;
const maxCharactersPerMessage = 1500;
const maxContentBytes = 150_000;
/**
 * The value "always" of `realm_name_in_email_notifications_policy`. "Automatic" shows the name only to users of several
 * organizations, which this server does not have.
 */
const alwaysShowRealmName = 2;

/** What a user missed in one conversation, with what the e-mail shows about it. */
interface MissedConversation {
  reader: User;
  settings: UserSettings;
  realm: Realm;
  /** The first messages, at most `maxMessages`, oldest first; and how many more there are. */
  messages: readonly [Message, ...Message[]];
  omitted: number;
  reason: string | undefined;
  /** Whether a reply to the mail is posted in the conversation. */
  canReply: boolean;
  users: ReadonlyMap<number, User>;
  channel: Channel | undefined;
}

/** A part of an e-mail, in both formats. */
interface MailPart {
  text: string;
  html: string;
}

/**
 * Composes the e-mail about missed messages as text and equivalent HTML. A pure function.
 */
export function composeMissedMail(missed: MissedConversation) {
  const { settings, realm } = missed;
  const showsContent =
    settings.message_content_in_email_notifications && realm.settings.message_content_allowed_in_email_notifications;
  const suffix = settings.realm_name_in_email_notifications_policy === alwaysShowRealmName ? ` [${realm.name}]` : "";
  const subject = (showsContent ? conversationTitle(missed) : "New messages") + suffix;
  const settingsUrl = `${serverUrl()}/#settings/notifications`;
  const parts = showsContent ? contentParts(missed) : noContentParts(missed);
  const footerPart = footer(missed, showsContent, settingsUrl);
  return {
    subject,
    text: [...parts.map(({ text }) => text), `-- \n${footerPart.text}`].join("\n\n"),
    html: htmlPage(subject, [...parts.map(({ html }) => html), footerPart.html]),
  };
}

function contentParts({ messages, omitted, users }: MissedConversation): MailPart[] {
  const parts: MailPart[] = [];
  let bytes = 0;
  for (const { senderId, html } of messages) {
    const name = users.get(senderId)?.fullName ?? "Somebody";
    const content = mailHtml(html, serverUrl(), maxCharactersPerMessage);
    const part = {
      text: `${name}:\n${notificationText(html, maxCharactersPerMessage)}`,
      html: `<p><strong>${escapeHtml(name, true)}</strong></p>\n<div>${content}</div>`,
    };
    bytes += Buffer.byteLength(JSON.stringify(part));
    if (bytes > maxContentBytes) break;
    parts.push(part);
  }
  const remaining = messages.length + omitted - parts.length;
  return remaining > 0 ? [...parts, paragraph(`… and ${remaining} more`)] : parts;
}

const noContentParts = ({ settings, realm, messages, omitted }: MissedConversation): MailPart[] =>
  [
    `You have ${messages.length + omitted === 1 ? "a new message" : `${messages.length + omitted} new messages`} in ${realm.name}.`,
    settings.message_content_in_email_notifications
      ? "This email does not include message content because your organization has disabled it."
      : "This email does not include message content because you have disabled it.",
  ].map(paragraph);

const paragraph = (text: string): MailPart => ({ text, html: `<p>${escapeHtml(text, true)}</p>` });

function conversationTitle({ reader, realm, messages, users, channel }: MissedConversation): string {
  const [{ channelId, topic, userIds = [] }] = messages;
  if (channelId !== undefined) return `#${channel?.name ?? ""} > ${topic || realm.settings.empty_topic_display_name}`;
  const otherNames = userIds.filter((id) => id !== reader.id).map((id) => users.get(id)?.fullName ?? "Somebody");
  return `${otherNames.length > 1 ? "Group DMs" : "DMs"} with ${joinNames(otherNames)}`;
}

const joinNames = (names: readonly string[]) =>
  names.length <= 3 ? names.join(", ").replace(/, (?=[^,]*$)/, " and ") : `${names.slice(0, 3).join(", ")} and others`;

function footer(missed: MissedConversation, showsContent: boolean, settingsUrl: string): MailPart {
  const { reason, messages, canReply } = missed;
  const [first] = messages;
  const explanations = [
    ...(reason ? [`You are receiving this because ${reason}.`] : []),
    ...(canReply ? ["You can answer by replying to this email."] : []),
  ];
  const links: [name: string, url: string][] = [
    // An e-mail without content must not link to the message: its URL would reveal the topic.
    showsContent
      ? [`Reply in ${missed.realm.name}`, messageUrl(first)]
      : [`View the messages in ${missed.realm.name}`, `${serverUrl()}/`],
    ["Manage email preferences", settingsUrl],
  ];
  const htmlLinks = links.map(([name, url]) => `<a href="${escapeHtml(url, true)}">${escapeHtml(name, true)}</a>`);
  return {
    text: `${[...explanations, ...links.map(([name, url]) => `${name}: ${url}`)].join("\n")}\n`,
    html: `<hr>\n<p>${[...explanations.map((text) => escapeHtml(text, true)), ...htmlLinks].join("<br>\n")}</p>`,
  };
}

const htmlPage = (title: string, parts: readonly string[]) =>
  `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>${escapeHtml(title, true)}</title></head>\n<body>\n${parts.join("\n")}\n</body></html>\n`;

/** Why a reader gets an e-mail about messages of a conversation; undefined for direct messages, where that is obvious. */
export function reasonFor(readerId: number, messages: readonly Message[]): string | undefined {
  if (messages[0]?.channelId === undefined) return undefined;
  if (messages.some((message) => mentionedUsers(message).includes(readerId))) return "you were mentioned";
  if (messages.some((message) => mentionedGroups(message).length > 0)) return "a group was mentioned";
  if (messages.some((message) => mentionsChannel(message) || mentionsTopic(message))) return "everyone was mentioned";
  return "you follow the topic or receive email for all messages in the channel";
}
