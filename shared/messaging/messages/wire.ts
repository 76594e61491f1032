import {
  bool,
  int,
  list,
  nullable,
  oneOf,
  optional,
  strictObject,
  string,
  text,
  union,
  type Value,
} from "../../base/schema/params.ts";
import { toDisplayTopic } from "../../core/channels/topic-names.ts";
import { avatarUrl } from "../../core/users/avatars.ts";
import { visibleEmail } from "../../services/identity/visibility.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { Channel } from "../../store/channels/channels.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { User } from "../../store/users/users.ts";
import {
  editObject,
  type MessageDetails,
  reactionObject,
  submessageObject,
  toEditHistoryWire,
  toReactionsWire,
  toSubmessageWire,
} from "./wire-parts.ts";

const person = strictObject({ id: int(), email: string(), full_name: string(), is_mirror_dummy: bool() });

export const topicLink = strictObject({ text: string(), url: string() });

const messageFields = {
  id: int(),
  type: oneOf(["stream", "private"]),
  timestamp: int(),
  content: text(),
  content_type: oneOf(["text/html", "text/x-markdown"]),
  subject: string(),
  topic_links: list(topicLink),
  stream_id: optional(int()),
  display_recipient: union([text(), list(person)], "a channel's name or a list of people"),
  recipient_id: int(),
  sender_id: int(),
  sender_email: string(),
  sender_full_name: string(),
  sender_realm_str: string(),
  avatar_url: nullable(string()),
  client: string(),
  is_me_message: bool(),
  reactions: list(reactionObject),
  submessages: list(submessageObject),
  edit_history: optional(list(editObject)),
  last_edit_timestamp: optional(int()),
  last_moved_timestamp: optional(int()),
};

/** A message in a `message` event, which has the flags in a field of its own. */
export const sentMessageObject = strictObject(messageFields);

export const messageObject = strictObject({
  ...messageFields,
  flags: optional(list(string())),
  match_content: optional(text()),
  match_subject: optional(string()),
});
export type MessageObject = Value<typeof messageObject>;

/** What a message's wire object depends on besides the message: the client's options, and the records that it refers to. */
export interface MessageView {
  realm: Realm;
  applyMarkdown: boolean;
  clientGravatar: boolean;
  allowEmptyTopicName: boolean;
  /** Senders and participants, by ID. */
  users: Map<number, User>;
  channels: Map<number, Channel>;
  /** Previous contents and submessages of all messages of the reply. */
  details: MessageDetails;
}

export function toMessageWire(message: Message, view: MessageView): MessageObject {
  const sender = view.users.get(message.senderId);
  const inChannel = message.channelId !== undefined;
  const history = toEditHistoryWire(message, view.details, view.realm.settings, view.allowEmptyTopicName);
  return {
    id: message.id,
    type: inChannel ? "stream" : "private",
    timestamp: message.sentAt,
    content: view.applyMarkdown ? message.html : message.content,
    content_type: view.applyMarkdown ? "text/html" : "text/x-markdown",
    subject: inChannel ? toDisplayTopic(message.topic ?? "", view.allowEmptyTopicName, view.realm.settings) : "",
    topic_links: message.topicLinks ?? [],
    ...(inChannel && { stream_id: message.channelId }),
    display_recipient: inChannel
      ? (view.channels.get(message.channelId ?? 0)?.name ?? "")
      : (message.userIds ?? []).flatMap((id) => toPersonWire(view.users.get(id))),
    recipient_id: message.recipientId,
    sender_id: message.senderId,
    sender_email: sender ? visibleEmail(sender) : "",
    sender_full_name: sender?.fullName ?? "",
    sender_realm_str: view.realm.stringId,
    avatar_url: sender ? avatarUrl(sender, view.clientGravatar) : null,
    client: message.client,
    is_me_message: message.isMe === true,
    reactions: toReactionsWire(message),
    submessages: view.details.submessages.filter(({ messageId }) => messageId === message.id).map(toSubmessageWire),
    ...(history && { edit_history: history }),
    ...(message.lastEditAt !== undefined && { last_edit_timestamp: message.lastEditAt }),
    ...(message.lastMovedAt !== undefined && { last_moved_timestamp: message.lastMovedAt }),
  };
}

const toPersonWire = (user: User | undefined): Value<typeof person>[] =>
  user ? [{ id: user.id, email: visibleEmail(user), full_name: user.fullName, is_mirror_dummy: false }] : [];
