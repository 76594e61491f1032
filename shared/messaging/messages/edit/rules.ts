import { badRequest } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import { truncate } from "../../../base/schema/text.ts";
import type { Message } from "../../../store/messages/messages.ts";
import type { PropagateMode } from "../../../store/messages/moves.ts";

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
  if (topic !== undefined && resolvedEmptyTopics.has(topic.trim()))
    throw badRequest("General chat cannot be marked as resolved");
  if (channelId !== undefined && content !== undefined)
    throw badRequest("Cannot change message content while changing channel");
  if (content !== undefined && message.hasSubmessages) throw badRequest("Widgets cannot be edited.");
}

const resolvedPrefix = "✔ ";

/** What clients make of the empty topic, by one of the names under which they know it, to mark it as resolved. */
const resolvedEmptyTopics = new Set(["", "general chat", "(no topic)"].map((name) => (resolvedPrefix + name).trim()));

export const isResolved = (topic: string) => topic.startsWith(resolvedPrefix);

/** What a topic is called once it is resolved, or unresolved. */
export const resolvedName = (topic: string) => (isResolved(topic) ? topic : resolvedPrefix + topic);
export const unresolvedName = (topic: string) => (isResolved(topic) ? topic.slice(resolvedPrefix.length) : topic);

/** Whether a topic change only marks the topic as resolved or unresolved, and which of them; otherwise undefined. */
export function resolution(before: string, after: string): "resolved" | "unresolved" | undefined {
  if (isResolved(before) === isResolved(after)) return undefined;
  const [unresolvedName, resolvedName] = isResolved(after) ? [before, after] : [after, before];
  if (truncateTopic(resolvedPrefix + unresolvedName) !== resolvedName) return undefined;
  return isResolved(after) ? "resolved" : "unresolved";
}

/** Adding the prefix may have truncated a long topic. */
const truncateTopic = (topic: string) => truncate(topic, limits.topicLength, "...");

/** Clients with a slow clock or connection get this much more time. */
const toleranceSeconds = 20;

/** Whether more than `limitSeconds` and the tolerance have passed since a message was sent; null means no limit. */
export const isPastLimit = (
  message: Pick<Message, "sentAt">,
  limitSeconds: number | null,
  tolerance = toleranceSeconds,
) => limitSeconds !== null && Date.now() / 1000 - message.sentAt > limitSeconds + tolerance;
