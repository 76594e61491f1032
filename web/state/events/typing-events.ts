import { type Conversation, conversationKey, directConversation, type State } from "../model.ts";
import type { Handler, Handlers } from "./handler.ts";

/** Events about who is typing in which conversation. */

/** How long a user counts as typing after a notification, if the server does not specify it. */
const defaultExpiryMs = 45_000;

export function withoutTyping(typing: State["typing"], key: string, userId: number): State["typing"] {
  const typists = typing.get(key);
  if (!typists?.some((typist) => typist.userId === userId)) return typing;
  return new Map(typing).set(
    key,
    typists.filter((typist) => typist.userId !== userId),
  );
}

const updateTyping: Handler<"typing"> = (state, event, { nowMs }) => {
  const userId = event.sender.user_id;
  if (userId === state.userId) return state;
  const conversation: Conversation =
    event.message_type === "stream"
      ? { kind: "topic", channelId: event.stream_id, topic: event.topic }
      : directConversation(
          event.recipients.map((recipient) => recipient.user_id),
          state.userId,
        );
  const key = conversationKey(conversation);
  const others = withoutTyping(state.typing, key, userId);
  if (event.op === "stop") return { ...state, typing: others };
  const expiryMs = state.realm.server_typing_started_expiry_period_milliseconds;
  const until = nowMs + (typeof expiryMs === "number" ? expiryMs : defaultExpiryMs);
  return { ...state, typing: new Map(others).set(key, [...(others.get(key) ?? []), { userId, until }]) };
};

export const typingHandlers: Handlers = { typing: updateTyping };
