import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest, notFound } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import {
  findScheduledMessage,
  listScheduledMessages,
  type ScheduledMessage,
} from "../../store/messages/scheduled-messages.ts";
import { accessDestination, type Destination, type NamedDestination } from "../messages/send/destination.ts";
import { type MessageType, readDestination, toNamedDestinationById } from "../messages/send/recipients.ts";
import { toPathIds } from "../uploads/link-metadata.ts";

/** Returns a scheduled message of the caller. Unknown and delivered messages and those of other users give the same 404. */
export async function accessScheduledMessage(caller: Caller, id: number): Promise<ScheduledMessage> {
  const scheduled = await findScheduledMessage(caller.id, id);
  if (!scheduled) throw notFound("Scheduled message does not exist");
  return scheduled;
}

export const scheduledMessageChanged = () =>
  badRequest("The scheduled message is being changed by other requests; try again.");

export function checkDeliveryTime(deliverAt: number): void {
  if (deliverAt * 1000 <= Date.now()) throw badRequest("Scheduled delivery time must be in the future.");
}

/** The destination that a scheduled message's record names. */
export const destinationOf = ({ channelId, topic, userIds = [] }: StoredDestination): NamedDestination =>
  channelId === undefined ? { kind: "direct", to: userIds } : { kind: "channel", channel: channelId, topic };

type StoredDestination = Pick<ScheduledMessage, "channelId" | "topic" | "userIds">;

/** Checks that the caller may send to a destination now, and returns its stored form. */
export async function accessStoredDestination(
  caller: Caller,
  named: NamedDestination,
  realm: Realm,
): Promise<{ stored: StoredDestination; destination: Destination }> {
  const destination = await accessDestination(caller, named, realm);
  const stored =
    destination.kind === "channel"
      ? { channelId: destination.channel.id, topic: destination.topic }
      : { userIds: recipientsOf(destination.userIds, caller.id) };
  return { stored, destination };
}

/** The destination to which a request sends a message later, if the caller may write there now. */
export const laterDestination: Need<
  { stored: StoredDestination; destination: Destination },
  {
    caller: Caller;
    params: { type: MessageType; to: number | number[]; topic?: string | undefined };
    realm: Promise<Realm>;
  }
> = {
  early: (sent) => readDestination(sent("type"), sent("to")),
  load: async ({ caller, params: { type, to, topic }, realm }) =>
    accessStoredDestination(caller, toNamedDestinationById(type, to, topic), await realm),
};

/** A direct message's recipients without the sender, unless they send it only to themselves. */
const recipientsOf = (userIds: readonly number[], senderId: number) =>
  userIds.length === 1 ? [...userIds] : userIds.filter((id) => id !== senderId);

/**
 * Refuses another scheduled message of somebody who has as many as they may; failed ones count. Requests at once may exceed the
 * total by their number. 0.5 read units for each 4 KB of what they have scheduled.
 */
export async function checkScheduledCount(userId: number): Promise<void> {
  if ((await listScheduledMessages(userId)).length >= creationLimits.scheduledMessage.max)
    throw badRequest(tooMany("scheduledMessage"));
}

/** A scheduled message is delivered with all rights of its owner, of which an agent's key may have fewer. */
export function checkLinkedFiles(
  { agentKey }: Pick<Caller, "agentKey">,
  linked: readonly string[],
  claimed: readonly string[],
): void {
  if (agentKey && linked.flatMap(toPathIds).some((path) => !claimed.includes(path)))
    throw badRequest("The key is not for a file that the message links");
}
