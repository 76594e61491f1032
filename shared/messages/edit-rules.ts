import { badRequest } from "../errors.ts";
import { limits } from "../settings.ts";
import type { Message } from "../store/messages.ts";
import { truncated } from "./content.ts";

export const propagateModes = ["change_one", "change_later", "change_all"] as const;
export type PropagateMode = (typeof propagateModes)[number];

/** What a client asks to change of a message. */
export interface MessageEdit {
  content?: string | undefined;
  topic?: string | undefined;
  channelId?: number | undefined;
  propagateMode: PropagateMode;
}

/** Refuses what no message of this kind can be made into (companion reference, C). */
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

/** Whether a change of topic is only that of being resolved: "resolved", "unresolved" or neither. */
export function resolution(before: string, after: string): "resolved" | "unresolved" | undefined {
  if (isResolved(before) === isResolved(after)) return undefined;
  const [plain, marked] = isResolved(after) ? [before, after] : [after, before];
  if (cut(resolvedPrefix + plain) !== marked) return undefined;
  return isResolved(after) ? "resolved" : "unresolved";
}

/** A resolved topic's name may have had to be cut. */
const cut = (topic: string) => truncated(topic, limits.topicLength, "...");

/** Seconds by which a client's clock and the network may be late. */
const slackSeconds = 20;

/** Whether a limit in seconds has passed since a message was sent; null is no limit. */
export const isPast = (message: Pick<Message, "sentAt">, limitSeconds: number | null, slack = slackSeconds) =>
  limitSeconds !== null && Date.now() / 1000 - message.sentAt > limitSeconds + slack;
