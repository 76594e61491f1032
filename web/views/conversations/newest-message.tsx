import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { textOf } from "../../base/lib/html.ts";
import { fullTime, timeOrDate } from "../../base/lib/time.ts";
import { Avatar, nameOf } from "../../parts/parts.tsx";
import { retryOnceReachable } from "../../session/retry.ts";
import { call, onSession, perSession, sessionEnd, sessionSignal } from "../../session/session.ts";
import { mutedUsers, onEvents, ownUserId, state, users } from "../../session/store.ts";
import type { Message } from "../../state/model.ts";
import { list } from "../../state/readers.ts";
import { beginningOf } from "../../state/recent-by-key.ts";
import { messageOf } from "../../state/records.ts";

/** What lists of conversations show of the newest message of each, also of those that no list of messages has. */

/** Who wrote a conversation's newest message, its first words, and when: parts of a row of a list of conversations. */
export function MessageBeginning({ senderId, timestamp, html }: { senderId: number; timestamp: number; html: string }) {
  const isMuted = mutedUsers.value?.has(senderId) === true;
  const text = useMemo(() => (isMuted ? "" : textOf(html).replace(/^\/me /, "")), [html, isMuted]);
  return (
    <>
      <Avatar user={users.value?.get(senderId)} size={32} />
      <span class="quiet small words" dir="auto">
        {senderId === ownUserId.value ? t("You") : nameOf(senderId)}
        {text && `: ${text}`}
      </span>
      <time class="quiet small" title={fullTime(timestamp)}>
        {timeOrDate(timestamp)}
      </time>
    </>
  );
}

/** The same of the message with an ID, as soon as it is known. */
export function NewestMessage({ id }: { id: number }) {
  const message = useMemo(() => computed(() => knownMessage(id)), [id]).value;
  useEffect(() => needMessage(id), [id]);
  return (
    message && (
      <MessageBeginning
        senderId={message.sender_id}
        timestamp={message.timestamp}
        html={beginningOf(message.content)}
      />
    )
  );
}

/** How many messages one request asks for at most. */
const maxPerRequest = 100;

const fetched = sessionSignal<ReadonlyMap<number, Message>>(new Map());
const asked = perSession(() => ({ all: new Set<number>(), next: [] as number[] }));

/** A message as far as it is known: of one that was fetched here, the content is the beginning only. */
const knownMessage = (id: number): Message | undefined => state.value?.messages.get(id) ?? fetched.value.get(id);

/** Fetches a message unless it is known, together with the others that are needed now. */
function needMessage(id: number): void {
  const { all, next } = asked();
  if (all.has(id) || state.peek()?.messages.has(id)) return;
  all.add(id);
  if (next.push(id) === 1) queueMicrotask(() => void fetchNext().catch(() => {}));
}

async function fetchNext(): Promise<void> {
  const { next } = asked();
  while (next.length > 0) {
    const query = { message_ids: next.splice(0, maxPerRequest), client_gravatar: true, allow_empty_topic_name: true };
    const { messages } = await retryOnceReachable(() => call("GET /messages", query), sessionEnd());
    const known = new Map(fetched.peek());
    for (const message of list(messageOf)(messages))
      known.set(message.id, { ...message, content: beginningOf(message.content) });
    fetched.value = known;
  }
}

onSession(() => {
  onEvents((events) => {
    for (const event of events) {
      const message = event.type === "update_message" && fetched.peek().get(event.message_id);
      if (message && event.rendered_content !== undefined)
        fetched.value = new Map(fetched.peek()).set(message.id, {
          ...message,
          content: beginningOf(event.rendered_content),
        });
    }
  });
});
