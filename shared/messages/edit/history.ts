import { toDisplayTopic } from "../../channels/topic-names.ts";
import { badRequest } from "../../errors.ts";
import type { Realm } from "../../organization/access.ts";
import { int, optional, strictObject, string, text, type Value } from "../../schema/params.ts";
import { findPreviousContents } from "../../store/messages/edits.ts";
import type { Message } from "../../store/messages/messages.ts";
import { htmlDiff } from "./html-diff.ts";

/** One version of a message; see https://zulip.com/api/get-message-history. */
export const messageState = strictObject({
  topic: string(),
  content: text(),
  rendered_content: text(),
  user_id: int(),
  timestamp: int(),
  prev_topic: optional(string()),
  stream: optional(int()),
  prev_stream: optional(int()),
  prev_content: optional(text()),
  prev_rendered_content: optional(text()),
  content_html_diff: optional(text()),
});
type MessageState = Value<typeof messageState>;

/**
 * The versions of a message, oldest first: as it was sent, then each edit that the organization's policy shows. Throws
 * when the policy shows none.
 */
export async function messageHistory(
  message: Message,
  { settings }: Realm,
  allowEmptyTopic: boolean,
): Promise<MessageState[]> {
  const policy = settings.message_edit_history_visibility_policy;
  if (policy === "none") throw badRequest("Message edit history is disabled in this organization");
  const previousContents = policy === "all" ? await findPreviousContents([message]) : new Map();
  const displayTopic = (topic: string) => toDisplayTopic(topic, allowEmptyTopic, settings);
  const states: MessageState[] = [];
  // Iterates backwards from the current version, since each edit stores what it replaced.
  let { content, html, topic = "" } = message;
  for (const { userId, at, prevTopic, prevChannelId, channelId, formerText } of message.editHistory ?? []) {
    const previous = formerText === undefined ? undefined : previousContents.get(formerText);
    const moved = prevTopic !== undefined || prevChannelId !== undefined;
    if (policy === "all" || moved)
      states.push({
        topic: displayTopic(topic),
        content,
        rendered_content: html,
        user_id: userId,
        timestamp: at,
        ...(prevTopic !== undefined && { prev_topic: displayTopic(prevTopic) }),
        ...(prevChannelId !== undefined && { stream: channelId, prev_stream: prevChannelId }),
        ...(previous && {
          prev_content: previous.content,
          prev_rendered_content: previous.html,
          content_html_diff: htmlDiff(previous.html, html),
        }),
      });
    topic = prevTopic ?? topic;
    if (previous) ({ content, html } = previous);
  }
  const { senderId: user_id, sentAt: timestamp } = message;
  return [...states, { topic: displayTopic(topic), content, rendered_content: html, user_id, timestamp }].reverse();
}
