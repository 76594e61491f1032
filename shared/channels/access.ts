import { badRequest, streamDoesNotExist } from "../errors.ts";
import { type Caller, isGuest } from "../identity/caller.ts";
import type { Realm } from "../organization/access.ts";
import { hasPermission } from "../permissions/access.ts";
import { type Channel, findChannel, findChannelIdByName } from "../store/channels/channels.ts";
import { findSubscription } from "../store/channels/subscriptions.ts";
import { invalidChannel } from "./channel-access.ts";

/**
 * Returns a channel to which the caller may post, by ID or name, and whether they have muted it; throws the error that
 * clients expect otherwise. See https://zulip.com/api/send-message.
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
  // Repeats what the caller sent: the error for an ID must not reveal the name of a private channel.
  if (!reachable) throw badRequest(`Not authorized to send to channel '${named}'`);
  if (channel.isArchived) throw badRequest(`Not authorized to send to channel '${channel.name}'`);
  if (!(await hasPermission(caller, channel.permissions.can_send_message_group, realm.settings)))
    throw badRequest("You do not have permission to post in this channel.");
  return { channel, isMuted: subscription?.isMuted === true };
}

/** Returns a default channel for new members. */
export async function accessDefault(id: number): Promise<Channel> {
  const channel = await findChannel(id);
  if (!channel) throw invalidChannel();
  if (!channel.isDefault) throw badRequest(`Couldn't find channel with ID ${channel.id} among the default ones.`);
  return channel;
}

/** Returns a channel that may become a default channel. */
export async function accessDefaultCandidate(id: number): Promise<Channel> {
  const channel = await findChannel(id);
  if (!channel || channel.isArchived) throw invalidChannel();
  if (channel.inviteOnly) throw badRequest("Private channels cannot be made default.");
  return channel;
}
