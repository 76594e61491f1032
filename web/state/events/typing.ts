import { type Conversation, conversationKey, directConversation, type State } from "../model.ts";
import type { Handler, Handlers } from "./handler.ts";

/** Who is typing where. */

/** How long a user counts as typing after a notification, in milliseconds, unless the server sets it. */
const typingMs = 45_000;

export function withoutTyping(typing: State["typing"], key: string, userId: number): State["typing"] {
  const there = typing.get(key);
  if (!there?.some((one) => one.userId === userId)) return typing;
  return new Map(typing).set(
    key,
    there.filter((one) => one.userId !== userId),
  );
}

const updateTyping: Handler = (state, event, { now }) => {
  const userId = event.sender.user_id as number;
  if (userId === state.userId) return state;
  const conversation: Conversation =
    event.message_type === "stream"
      ? { kind: "topic", channelId: event.stream_id, topic: event.topic }
      : directConversation(
          (event.recipients as { user_id: number }[]).map((recipient) => recipient.user_id),
          state.userId,
        );
  const key = conversationKey(conversation);
  const rest = withoutTyping(state.typing, key, userId);
  if (event.op === "stop") return { ...state, typing: rest };
  const limit = state.realm.server_typing_started_expiry_period_milliseconds;
  const until = now + (typeof limit === "number" ? limit : typingMs);
  return { ...state, typing: new Map(rest).set(key, [...(rest.get(key) ?? []), { userId, until }]) };
};

export const typingHandlers: Handlers = { typing: updateTyping };
