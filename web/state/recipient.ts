import { isTooLong } from "../base/lib/length.ts";
import { type Conversation, conversationKey, directConversation, type State } from "./model.ts";
import type { Narrow } from "./narrow.ts";

/** Where a message goes, as far as the user has chosen it. */
export type Recipient = Conversation | { kind: "unchosen" };

export const recipientKey = (recipient: Recipient): string =>
  recipient.kind === "unchosen" ? "unchosen" : conversationKey(recipient);

export const isSameRecipient = (a: Recipient, b: Recipient) => recipientKey(a) === recipientKey(b);

export const maxMessageLength = ({ realm }: Pick<State, "realm">): number => Number(realm.max_message_length);
export const maxTopicLength = ({ realm }: Pick<State, "realm">): number => Number(realm.max_topic_length);

/** Whether the server takes a message, or a draft, in full: it would cut a text or a topic that is too long. */
export const fits = (state: Pick<State, "realm">, recipient: Recipient, text: string): boolean =>
  !isTooLong(text, maxMessageLength(state)) &&
  !(recipient.kind === "topic" && isTooLong(recipient.topic.trim(), maxTopicLength(state)));

/** Whether a channel takes messages with and without a topic, or only one kind. */
export function topicsPolicyOf(state: Pick<State, "channels" | "realm">, channelId: number): string {
  const policy = state.channels.get(channelId)?.topics_policy ?? "inherit";
  return policy === "inherit" ? String(state.realm.realm_topics_policy ?? "allow_empty_topic") : policy;
}

/** The conversation that a recipient names; undefined while something is still to be chosen. */
export function conversationFor(recipient: Recipient, state: State): Conversation | undefined {
  if (recipient.kind === "unchosen") return undefined;
  if (recipient.kind === "direct")
    return recipient.userIds.length > 0 ? directConversation(recipient.userIds, state.userId) : undefined;
  const policy = topicsPolicyOf(state, recipient.channelId);
  const topic = policy === "empty_topic_only" ? "" : recipient.topic.trim();
  return topic === "" && policy === "disable_empty_topic" ? undefined : { ...recipient, topic };
}

/** The recipient that a view implies: of a channel the topic is still to be chosen; most views have none. */
export function recipientIn(narrow: Narrow, userId: number): Recipient | undefined {
  if (narrow.kind === "topic") return narrow;
  if (narrow.kind === "direct") return directConversation(narrow.userIds, userId);
  return narrow.kind === "channel" ? { kind: "topic", channelId: narrow.channelId, topic: "" } : undefined;
}
