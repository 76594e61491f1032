import { badRequest } from "../../../base/errors.ts";
import { int, optional, strictObject, string, text, type Value } from "../../../base/schema/params.ts";
import { toDisplayTopic } from "../../../core/channels/topic-names.ts";
import { jsonBytes, maxReplyBytes } from "../../../services/http/reply-size.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { findPreviousContents, type PreviousContent } from "../../../store/messages/edits.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { deletedText, hiddenText } from "../wire-parts.ts";
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

/** All that is stored of a message (`edit-history.ts`); of older messages, what a reply may have room for. */
const previousLimits = { messageBytes: 2_000_000, totalBytes: 2_000_000 };

/** How long a request compares versions: below a second also for the longest texts. */
const maxDiffMs = 500;

const unreadText = hiddenText("The edit history is too long to be shown completely: this text is left out.");

type Text = Pick<PreviousContent, "content" | "html">;

/**
 * The versions of a message, oldest first: as it was sent, then each edit that the organization's policy shows. Throws
 * when the policy shows none. The reply is bounded in bytes: of the oldest versions, first the comparison and the previous
 * text are left out, and then the text is replaced by a notice.
 */
export async function messageHistory(
  message: Message,
  { settings }: Realm,
  allowEmptyTopic: boolean,
): Promise<MessageState[]> {
  const policy = settings.message_edit_history_visibility_policy;
  if (policy === "none") throw badRequest("Message edit history is disabled in this organization");
  const previousContents = policy === "all" ? await findPreviousContents([message], previousLimits) : new Map();
  const displayTopic = (topic: string) => toDisplayTopic(topic, allowEmptyTopic, settings);
  const states: MessageState[] = [];
  /** The previous text of each state whose edit changed it. */
  const previousTexts = new Map<MessageState, Text>();
  // Iterates backwards from the current version, since each edit stores what it replaced.
  let text: Text = message;
  let { topic = "" } = message;
  for (const { userId, at, prevTopic, prevChannelId, channelId, formerText, textDropped } of message.editHistory ??
    []) {
    const isEdit = formerText !== undefined || textDropped === true;
    const previous: Text = textDropped ? deletedText : (previousContents.get(formerText) ?? unreadText);
    const moved = prevTopic !== undefined || prevChannelId !== undefined;
    if (policy === "all" || moved) {
      const state: MessageState = {
        topic: displayTopic(topic),
        content: text.content,
        rendered_content: text.html,
        user_id: userId,
        timestamp: at,
        ...(prevTopic !== undefined && { prev_topic: displayTopic(prevTopic) }),
        ...(prevChannelId !== undefined && { stream: channelId, prev_stream: prevChannelId }),
      };
      states.push(state);
      if (policy === "all" && isEdit) previousTexts.set(state, previous);
    }
    topic = prevTopic ?? topic;
    if (policy === "all" && isEdit) text = previous;
  }
  const { senderId: user_id, sentAt: timestamp } = message;
  const { content, html: rendered_content } = text;
  states.push({ topic: displayTopic(topic), content, rendered_content, user_id, timestamp });
  return fill(states, previousTexts).reverse();
}

/** Adds the previous texts and the comparisons, as far as the reply has room: the newest first. */
function fill(states: readonly MessageState[], previousTexts: ReadonlyMap<MessageState, Text>): MessageState[] {
  let remainingBytes = maxReplyBytes;
  /** Whether the reply has room for some fields, which it then has. */
  const takes = (fields: Partial<MessageState>) => {
    const bytes = jsonBytes(fields);
    if (bytes > remainingBytes) return false;
    remainingBytes -= bytes;
    return true;
  };
  const shown = states.map((state) => {
    if (takes(state)) return state;
    const { content, html: rendered_content } = unreadText;
    const shortened = { ...state, content, rendered_content };
    takes(shortened);
    return shortened;
  });
  const withPrevious = shown.map((state, index) => {
    const previous = previousTexts.get(states[index] as MessageState);
    const fields = previous && { prev_content: previous.content, prev_rendered_content: previous.html };
    return fields && takes(fields) ? { ...state, ...fields } : state;
  });
  const deadline = performance.now() + maxDiffMs;
  return withPrevious.map((state) => {
    if (state.prev_rendered_content === undefined || performance.now() > deadline) return state;
    const fields = { content_html_diff: htmlDiff(state.prev_rendered_content, state.rendered_content) };
    return takes(fields) ? { ...state, ...fields } : state;
  });
}
