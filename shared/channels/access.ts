import { badRequest, streamDoesNotExist } from "../errors.ts";
import { hasPermission } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { type Channel, findChannel, findChannelIdByName } from "../store/channels.ts";
import { findSubscription } from "../store/subscriptions.ts";
import { type Caller, isGuest } from "../users/caller.ts";
import { invalidChannel } from "./standing.ts";

/**
 * The channel that a caller may post to, by ID or name, and whether they have muted it; else the error that says why not
 * (companion reference, C).
 */
export async function accessChannelToSend(
  caller: Caller,
  named: number | string,
  realm: Realm,
): Promise<{ channel: Channel; isMuted: boolean }> {
  const id = typeof named === "number" ? named : await findChannelIdByName(named.trim());
  if (id === undefined) throw streamDoesNotExist(named);
  const [channel, subscription] = await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel) throw streamDoesNotExist(named);
  const reachable = subscription?.active || (!channel.inviteOnly && !isGuest(caller));
  if (channel.isArchived || !reachable) throw badRequest(`Not authorized to send to channel '${channel.name}'`);
  if (!(await hasPermission(caller, channel.permissions.can_send_message_group, realm.settings)))
    throw badRequest("You do not have permission to post in this channel.");
  return { channel, isMuted: subscription?.isMuted === true };
}

/** A channel that may be one of those that new members start with. */
export async function accessDefaultCandidate(id: number): Promise<Channel> {
  const channel = await findChannel(id);
  if (!channel || channel.isArchived) throw invalidChannel();
  if (channel.inviteOnly) throw badRequest("Private channels cannot be made default.");
  return channel;
}
