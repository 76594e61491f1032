import { badRequest, missingParameter } from "../../base/errors.ts";
import type { ScheduledMessage } from "../../store/messages/scheduled-messages.ts";
import { isChannelType, type messageTypes, type NamedDestination } from "../messages/send/destination.ts";
import { toNamedDestinationById } from "../messages/send/recipients.ts";
import { destinationOf } from "./access.ts";

interface Edit {
  type?: (typeof messageTypes)[number] | undefined;
  to?: number | number[] | undefined;
  topic?: string | undefined;
  content?: string | undefined;
  scheduled_delivery_timestamp?: number | undefined;
}

/**
 * The destination of a scheduled message after an edit. Fields that the edit omits stay as they were, but an edit with `type`
 * must have `to` as well, and, for a channel, `topic`. Throws a 400 if the edit has no fields.
 */
export function editedDestination(before: ScheduledMessage, edit: Edit): NamedDestination {
  const { type, to, topic } = edit;
  if ([type, to, topic, edit.content, edit.scheduled_delivery_timestamp].every((field) => field === undefined))
    throw badRequest("Nothing to change");
  if (type === undefined && to === undefined) {
    const destination = destinationOf(before);
    return destination.kind === "channel" ? { ...destination, topic: topic ?? before.topic } : destination;
  }
  if (type !== undefined && to === undefined) throw missingParameter("to");
  const newType = type ?? (before.channelId === undefined ? "direct" : "channel");
  if (type !== undefined && isChannelType(type) && topic === undefined) throw missingParameter("topic");
  return toNamedDestinationById(newType, to ?? [], topic ?? before.topic);
}
