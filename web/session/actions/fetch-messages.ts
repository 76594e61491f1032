import type { ServerEvent } from "../../state/events/handler.ts";
import type { Message } from "../../state/model.ts";
import { type Narrow, narrowKey, termsOf } from "../../state/narrow.ts";
import { list } from "../../state/readers.ts";
import { messageOf } from "../../state/records.ts";
import { call } from "../session.ts";
import { dispatch, onEvents, openNarrows, state } from "../store.ts";

/** Fetches messages, and brings them into agreement with the events that arrive meanwhile. */

interface Page {
  anchor: number | "newest" | "first_unread";
  before: number;
  after: number;
}

/** Fetches messages around an anchor and adds them to their list. */
export async function fetchMessages(narrow: Narrow, page: Page): Promise<number | undefined> {
  const { anchor, before, after } = page;
  const { reply, meanwhile } = await withEventsMeanwhile(() =>
    call("GET /messages", {
      anchor: String(anchor),
      num_before: before,
      num_after: after,
      narrow: termsOf(narrow),
      client_gravatar: true,
      apply_markdown: true,
      allow_empty_topic_name: true,
    }),
  );
  const messages = list(messageOf)(reply.messages);
  const marked = new Map(
    reply.messages.flatMap(({ id, content, subject, match_content, match_subject = "" }) =>
      match_content === undefined
        ? []
        : [[id, { content: match_content, from: content, topic: match_subject, fromTopic: subject }] as const],
    ),
  );
  const foundNewest = after > 0 || anchor === "newest" ? reply.found_newest : false;
  const foundOldest = before > 0 ? reply.found_oldest : false;
  dispatch({
    kind: "fetched",
    narrow,
    messages,
    list: { ids: messages.map(({ id }) => id), foundOldest, foundNewest, ...(marked.size > 0 && { marked }) },
    meanwhile,
    open: openNarrows.peek(),
  });
  // Messages were moved into the narrow meanwhile. One that was left is fetched when it is opened again.
  const key = narrowKey(narrow);
  const isForgotten = state.peek()?.lists.has(key) === false;
  const isOpen = openNarrows.peek().some((open) => narrowKey(open) === key);
  return isForgotten && isOpen ? fetchMessages(narrow, page) : reply.anchor;
}

/** The reply to a request, and the events that arrived before it. */
async function withEventsMeanwhile<T>(request: () => Promise<T>): Promise<{ reply: T; meanwhile: ServerEvent[] }> {
  const meanwhile: ServerEvent[] = [];
  const stop = onEvents((events) => void meanwhile.push(...events));
  try {
    return { reply: await request(), meanwhile };
  } finally {
    stop();
  }
}

/** Fetches one message, which joins no list. */
export const fetchMessage = async (id: number): Promise<Message> =>
  messageOf((await call("GET /messages/{message_id}", { message_id: id, allow_empty_topic_name: true })).message);

/** Fetches the Markdown of a message. */
export const fetchMarkdown = async (id: number) =>
  (await call("GET /messages/{message_id}", { message_id: id, apply_markdown: false, allow_empty_topic_name: true }))
    .message.content;
