import type { Input } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import type { Conversation, Message, PickedEmoji } from "../../state/model.ts";
import { fits, type Recipient } from "../../state/recipient.ts";
import { call } from "../session.ts";
import { currentState } from "../store.ts";

/** What the user does with messages, as API calls. Their effects arrive as events. */

export const targetFields = (conversation: Conversation) =>
  conversation.kind === "topic"
    ? { type: "channel" as const, to: conversation.channelId, topic: conversation.topic }
    : { type: "direct" as const, to: conversation.userIds };

/** Throws if the server would cut the text of a message, or its topic: it does so without an error. */
export function checkFits(recipient: Recipient, text: string): void {
  if (!fits(currentState(), recipient, text)) throw new Error(t("The message is too long."));
}

export async function scheduleMessage(conversation: Conversation, content: string, deliverAtSeconds: number) {
  checkFits(conversation, content);
  await call("POST /scheduled_messages", {
    ...targetFields(conversation),
    content,
    scheduled_delivery_timestamp: deliverAtSeconds,
  });
}

export const setFlag = (ids: readonly number[], flag: "read" | "starred", op: "add" | "remove") =>
  call("POST /messages/flags", { messages: ids, flag, op });

export async function toggleReaction(message: Message, emoji: PickedEmoji): Promise<unknown> {
  const hasReacted = message.reactions.some(
    (reaction) =>
      reaction.user_id === currentState().userId &&
      reaction.emoji_code === emoji.emoji_code &&
      reaction.reaction_type === emoji.reaction_type,
  );
  const { emoji_name, emoji_code, reaction_type } = emoji;
  const params = { message_id: message.id, emoji_name, emoji_code, reaction_type };
  return hasReacted
    ? call("DELETE /messages/{message_id}/reactions", params)
    : call("POST /messages/{message_id}/reactions", params);
}

/** Adds to a poll or a to-do list, for example a vote. */
export const addToWidget = (messageId: number, content: object) =>
  call("POST /submessage", { message_id: messageId, msg_type: "widget", content: JSON.stringify(content) });

export async function editMessage(id: number, changes: Omit<Input<"PATCH /messages/{message_id}">, "message_id">) {
  checkFits({ kind: "unchosen" }, changes.content ?? "");
  return call("PATCH /messages/{message_id}", { message_id: id, ...changes });
}

export const deleteMessage = (id: number) => call("DELETE /messages/{message_id}", { message_id: id });
