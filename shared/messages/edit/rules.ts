import { badRequest } from "../../errors.ts";
import { limits } from "../../limits.ts";
import { truncate } from "../../schema/text.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { PropagateMode } from "../../store/messages/moves.ts";

/** An edit as a client requests it. */
export interface MessageEdit {
  content?: string | undefined;
  topic?: string | undefined;
  channelId?: number | undefined;
  propagateMode: PropagateMode;
}

/**
 * Refuses edits that are invalid for this kind of message, regardless of the caller. See
 * https://zulip.com/api/update-message.
 */
export function checkEditForm({ content, topic, channelId, propagateMode }: MessageEdit, message: Message): void {
  if (content === undefined && topic === undefined && channelId === undefined) throw badRequest("Nothing to change");
  if (message.channelId === undefined) {
    if (channelId !== undefined) throw badRequest("Direct messages cannot be moved to channels.");
    if (topic !== undefined) throw badRequest("Direct messages cannot have topics.");
  }
  if (propagateMode !== "change_one" && topic === undefined && channelId === undefined)
    throw badRequest("Invalid propagate_mode without topic edit");
  if (channelId !== undefined && content !== undefined)
    throw badRequest("Cannot change message content while changing channel");
  if (content !== undefined && message.hasSubmessages) throw badRequest("Widgets cannot be edited.");
}

const resolvedPrefix = "✔ ";

export const isResolved = (topic: string) => topic.startsWith(resolvedPrefix);

/** "resolved" or "unresolved" if a topic change does only that; otherwise undefined. */
export function resolution(before: string, after: string): "resolved" | "unresolved" | undefined {
  if (isResolved(before) === isResolved(after)) return undefined;
  const [plain, marked] = isResolved(after) ? [before, after] : [after, before];
  if (cut(resolvedPrefix + plain) !== marked) return undefined;
  return isResolved(after) ? "resolved" : "unresolved";
}

/** Adding the prefix may have truncated a long topic. */
const cut = (topic: string) => truncate(topic, limits.topicLength, "...");

/** Tolerance for clock skew and network latency of clients. */
const slackSeconds = 20;

/** Whether more than `limitSeconds` have passed since a message was sent; null means no limit. */
export const isPast = (message: Pick<Message, "sentAt">, limitSeconds: number | null, slack = slackSeconds) =>
  limitSeconds !== null && Date.now() / 1000 - message.sentAt > limitSeconds + slack;
