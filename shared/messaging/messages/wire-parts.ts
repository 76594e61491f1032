import type { RealmSettings } from "../../base/schema/organization-settings.ts";
import { int, oneOf, optional, strictObject, string, text, type Value } from "../../base/schema/params.ts";
import { toDisplayTopic } from "../../core/channels/topic-names.ts";
import type { PreviousContent } from "../../store/messages/edits.ts";
import type { EditEntry, Message } from "../../store/messages/messages.ts";
import { reactionsOf, reactionTypes } from "../../store/messages/reactions.ts";
import type { Submessage } from "../../store/messages/submessages.ts";

/** The lists inside a message object; see https://zulip.com/api/get-messages. */

export const reactionObject = strictObject({
  emoji_name: string(),
  emoji_code: string(),
  reaction_type: oneOf(reactionTypes),
  user_id: int(),
});

export const toReactionsWire = (message: Message): Value<typeof reactionObject>[] =>
  reactionsOf(message).map(({ name, code, type, userId }) => ({
    emoji_name: name,
    emoji_code: code,
    reaction_type: type,
    user_id: userId,
  }));

export const submessageObject = strictObject({
  msg_type: string(),
  content: text(),
  message_id: int(),
  sender_id: int(),
  id: int(),
});

export const toSubmessageWire = (submessage: Submessage): Value<typeof submessageObject> => ({
  msg_type: submessage.type,
  content: submessage.content,
  message_id: submessage.messageId,
  sender_id: submessage.senderId,
  id: submessage.id,
});

export const editObject = strictObject({
  user_id: int(),
  timestamp: int(),
  prev_content: optional(text()),
  prev_rendered_content: optional(text()),
  prev_stream: optional(int()),
  stream: optional(int()),
  prev_topic: optional(string()),
  topic: optional(string()),
});

/** Previous contents and submessages of a reply's messages. */
export interface MessageDetails {
  previousContents: Map<number, PreviousContent>;
  submessages: readonly Submessage[];
}

/** What replaces the previous text of an edit that is not shown. Text and HTML. */
export const hiddenText = (reason: string) => ({ content: `[${reason}]`, html: `<p>[${reason}]</p>` });
export const deletedText = hiddenText("This text is no longer stored, because the message was edited often.");
const unreadText = hiddenText("This text is too long to be shown here. The message's edit history has it.");

/** A message's edits, newest first, as the organization's policy shows them; undefined when there are none. */
export function toEditHistoryWire(
  { editHistory = [] }: Message,
  { previousContents }: MessageDetails,
  settings: Pick<RealmSettings, "message_edit_history_visibility_policy" | "empty_topic_display_name">,
  allowEmptyTopicName: boolean,
): Value<typeof editObject>[] | undefined {
  const policy = settings.message_edit_history_visibility_policy;
  const shownEdits = policy === "none" ? [] : policy === "moves" ? editHistory.filter(isMove) : editHistory;
  if (shownEdits.length === 0) return undefined;
  return shownEdits.map((entry) => {
    const previous = policy === "all" ? previousText(entry, previousContents) : undefined;
    const displayTopic = (name: string) => toDisplayTopic(name, allowEmptyTopicName, settings);
    return {
      user_id: entry.userId,
      timestamp: entry.at,
      ...(previous && { prev_content: previous.content, prev_rendered_content: previous.html }),
      ...(entry.prevChannelId !== undefined && { prev_stream: entry.prevChannelId, stream: entry.channelId }),
      ...(entry.prevTopic !== undefined && {
        prev_topic: displayTopic(entry.prevTopic),
        topic: displayTopic(entry.topic ?? ""),
      }),
    };
  });
}

function previousText({ formerText, textDropped }: EditEntry, contents: MessageDetails["previousContents"]) {
  if (textDropped) return deletedText;
  return formerText === undefined ? undefined : (contents.get(formerText) ?? unreadText);
}

const isMove = ({ prevTopic, prevChannelId }: EditEntry) => prevTopic !== undefined || prevChannelId !== undefined;
