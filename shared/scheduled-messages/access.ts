import { setTimeout as pause } from "node:timers/promises";
import { badRequest, notFound } from "../errors.ts";
import { accessDestination, type Destination, type NamedDestination } from "../messages/destination.ts";
import type { Realm } from "../organization/access.ts";
import { findScheduledMessage, type ScheduledMessage } from "../store/scheduled-messages.ts";
import type { Caller } from "../users/caller.ts";

/** The caller's own scheduled message; another's, an unknown and a delivered one give the same 404. */
export async function accessScheduledMessage(caller: Caller, id: number): Promise<ScheduledMessage> {
  const scheduled = await findScheduledMessage(caller.id, id);
  if (!scheduled) throw notFound("Scheduled message does not exist");
  return scheduled;
}

const mostAttempts = 20;

/**
 * Makes a change of the caller's scheduled message, which is false when the message has changed since it was read, and
 * plans it anew on what it has become; the usual 404 once it was sent or cancelled.
 */
export async function changeScheduledMessage(
  caller: Caller,
  id: number,
  change: (before: ScheduledMessage) => Promise<boolean>,
): Promise<void> {
  for (let attempt = 1; !(await change(await accessScheduledMessage(caller, id))); attempt++) {
    if (attempt === mostAttempts)
      throw badRequest("The scheduled message is being changed by many at the same time; try again.");
    await pause(Math.random() * Math.min(20 * attempt, 400));
  }
}

export function checkDeliveryTime(deliverAt: number): void {
  if (deliverAt * 1000 <= Date.now()) throw badRequest("Scheduled delivery time must be in the future.");
}

/** Where a scheduled message goes, as its record names it. */
export const destinationOf = ({ channelId, topic, userIds = [] }: Place): NamedDestination =>
  channelId === undefined ? { kind: "direct", to: userIds } : { kind: "channel", channel: channelId, topic };

/** The place in a scheduled message's record. */
export type Place = Pick<ScheduledMessage, "channelId" | "topic" | "userIds">;

/** Checks that the caller may send there now, and returns the place as it will be kept. */
export async function accessPlace(
  caller: Caller,
  named: NamedDestination,
  realm: Realm,
): Promise<{ place: Place; destination: Destination }> {
  const destination = await accessDestination(caller, named, realm);
  const place =
    destination.kind === "channel"
      ? { channelId: destination.channel.id, topic: destination.topic }
      : { userIds: recipientsOf(destination.userIds, caller.id) };
  return { place, destination };
}

/** A direct message's recipients without the sender, unless it is to themselves alone. */
const recipientsOf = (userIds: readonly number[], senderId: number) =>
  userIds.length === 1 ? [...userIds] : userIds.filter((id) => id !== senderId);
