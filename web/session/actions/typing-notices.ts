import type { Input } from "../../base/api/calls.ts";
import { type Conversation, conversationKey } from "../../state/model.ts";
import { call, perSession } from "../session.ts";
import { currentState } from "../store.ts";

/** When the last notification that the user is typing was sent, in UNIX milliseconds, by `conversationKey`. */
const typingSentAtMs = perSession(() => new Map<string, number>());

/** Sends a typing notification, unless one was sent within the interval that the server specifies. */
export function sendTyping(conversation: Conversation, op: "start" | "stop"): void {
  const { realm, settings } = currentState();
  const isDirect = conversation.kind === "direct";
  if (!settings[isDirect ? "send_private_typing_notifications" : "send_stream_typing_notifications"]) return;
  const key = conversationKey(conversation);
  const intervalMs = Number(realm.server_typing_started_wait_period_milliseconds ?? 30_000);
  const sentAtMs = typingSentAtMs();
  const lastSentMs = sentAtMs.get(key) ?? 0;
  if (op === "start" ? Date.now() - lastSentMs < intervalMs : lastSentMs === 0) return;
  if (op === "start") sentAtMs.set(key, Date.now());
  else sentAtMs.delete(key);
  const target: Input<"POST /typing"> =
    conversation.kind === "direct"
      ? { type: "direct", op, to: conversation.userIds }
      : { type: "channel", op, stream_id: conversation.channelId, topic: conversation.topic };
  // A lost typing notification does no harm.
  call("POST /typing", target).catch(() => {});
}
