import { exactly, int, oneOf, optional, string, text, type Value } from "../http/params.ts";
import type { RealmSettings } from "../organization/settings.ts";
import type { FormerText } from "../store/edits.ts";
import type { EditEntry, Message } from "../store/messages.ts";
import { reactionsOf, reactionTypes } from "../store/reactions.ts";
import type { Submessage } from "../store/submessages.ts";
import { shownTopic } from "./topics.ts";

/** The lists inside a message object (2.6 and 2.7). */

export const reactionObject = exactly({
  emoji_name: string(),
  emoji_code: string(),
  reaction_type: oneOf(reactionTypes),
  user_id: int(),
});

export const wireReactions = (message: Message): Value<typeof reactionObject>[] =>
  reactionsOf(message).map(({ name, code, type, userId }) => ({
    emoji_name: name,
    emoji_code: code,
    reaction_type: type,
    user_id: userId,
  }));

export const submessageObject = exactly({
  msg_type: string(),
  content: text(),
  message_id: int(),
  sender_id: int(),
  id: int(),
});

export const wireSubmessage = (submessage: Submessage): Value<typeof submessageObject> => ({
  msg_type: submessage.type,
  content: submessage.content,
  message_id: submessage.messageId,
  sender_id: submessage.senderId,
  id: submessage.id,
});

export const editObject = exactly({
  user_id: int(),
  timestamp: int(),
  prev_content: optional(text()),
  prev_rendered_content: optional(text()),
  prev_stream: optional(int()),
  stream: optional(int()),
  prev_topic: optional(string()),
  topic: optional(string()),
});

/** What is kept beside the messages of one reply, read together. */
export interface BesideMessages {
  formerTexts: Map<number, FormerText>;
  submessages: readonly Submessage[];
}

/** A message's edits, newest first, as the organization lets them be seen; undefined when there are none to show. */
export function wireEditHistory(
  { editHistory = [] }: Message,
  { formerTexts }: BesideMessages,
  settings: Pick<RealmSettings, "message_edit_history_visibility_policy" | "empty_topic_display_name">,
  allowEmptyTopicName: boolean,
): Value<typeof editObject>[] | undefined {
  const policy = settings.message_edit_history_visibility_policy;
  const shown = policy === "none" ? [] : policy === "moves" ? editHistory.filter(isMove) : editHistory;
  if (shown.length === 0) return undefined;
  return shown.map((entry) => {
    const former = policy === "all" && entry.formerText !== undefined ? formerTexts.get(entry.formerText) : undefined;
    const topic = (name: string) => shownTopic(name, allowEmptyTopicName, settings);
    return {
      user_id: entry.userId,
      timestamp: entry.at,
      ...(former && { prev_content: former.content, prev_rendered_content: former.html }),
      ...(entry.prevChannelId !== undefined && { prev_stream: entry.prevChannelId, stream: entry.channelId }),
      ...(entry.prevTopic !== undefined && { prev_topic: topic(entry.prevTopic), topic: topic(entry.topic ?? "") }),
    };
  });
}

const isMove = ({ prevTopic, prevChannelId }: EditEntry) => prevTopic !== undefined || prevChannelId !== undefined;
