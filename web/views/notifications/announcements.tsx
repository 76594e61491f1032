import { useEffect } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { textOf } from "../../base/lib/html.ts";
import { channelName, nameOf, topicName } from "../../parts/parts.tsx";
import { sessionSignal } from "../../session/session.ts";
import { onEvents, state } from "../../session/store.ts";
import { type Conversation, conversationOf, type Message, type State } from "../../state/model.ts";
import { isMuted } from "../../state/narrow.ts";
import { isMention } from "../../state/unread.ts";

/** Announces new messages to assistive technology. */

interface Announcement {
  id: number;
  text: string;
}

/** The newest announcements: each is read out when it is added, and those before it need not be there. */
const announcements = sessionSignal<readonly Announcement[]>([]);
const maxKept = 5;
/** More messages than this that arrive together, for example after a reconnection, are counted instead of read out. */
const maxReadOut = 3;
const maxTextLength = 200;

/** Whether a message is read out: the user's own ones, read ones and those from muted people and places are not. */
const isAnnounced = (message: Message, current: State): boolean =>
  message.sender_id !== current.userId &&
  !message.flags.includes("read") &&
  !current.mutedUsers.has(message.sender_id) &&
  (isMention(message) || !isMuted(message, current));

const senderAndPlace = (name: string, conversation: Conversation): string =>
  conversation.kind === "topic"
    ? t("{name} in {channel}, {topic}", {
        name,
        channel: channelName(conversation.channelId),
        topic: topicName(conversation.topic),
      })
    : conversation.userIds.length === 1
      ? t("{name} directly to you", { name })
      : t("{name} to you and others", { name });

const textFor = (message: Message, current: State): string =>
  `${senderAndPlace(nameOf(message.sender_id), conversationOf(message, current.userId))}: ${textOf(message.content).slice(0, maxTextLength)}`;

export function Announcements() {
  useEffect(
    () =>
      onEvents((events, before) => {
        const current = state.peek();
        if (!current) return;
        // An event that comes twice announces nothing the second time.
        const ids = new Set(events.flatMap((event) => (event.type === "message" ? [event.message?.id] : [])));
        const messages = [...ids].flatMap((id) => {
          const message = before.messages.has(id) ? undefined : current.messages.get(id);
          return message && isAnnounced(message, current) ? [message] : [];
        });
        const texts =
          messages.length > maxReadOut
            ? [t("{count} new messages", { count: messages.length })]
            : messages.map((message) => textFor(message, current));
        if (texts.length === 0) return;
        const lastId = announcements.peek().at(-1)?.id ?? 0;
        const added = texts.map((text, index) => ({ id: lastId + 1 + index, text }));
        announcements.value = [...announcements.peek(), ...added].slice(-maxKept);
      }),
    [],
  );
  return (
    <div class="unseen" id="announcements" role="log" aria-label={t("New messages")}>
      {announcements.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
