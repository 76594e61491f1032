import { badRequest, streamDoesNotExist } from "../../base/errors.ts";
import { type Caller, isGuest } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { hasPermission } from "../../services/permissions/access.ts";
import { type Channel, findChannel, findChannelIdByName } from "../../store/channels/channels.ts";
import { findSubscription } from "../../store/channels/subscriptions.ts";
import { invalidChannel } from "./channel-access.ts";

/**
 * Returns a channel, by ID or name, to which the caller may post, and whether they have muted it. Throws STREAM_DOES_NOT_EXIST
 * or a 400 with the message of https://zulip.com/api/send-message if they may not.
 */
export async function accessChannelToSend(
  caller: Caller,
  idOrName: number | string,
  realm: Realm,
): Promise<{ channel: Channel; isMuted: boolean }> {
  const id = typeof idOrName === "number" ? idOrName : await findChannelIdByName(idOrName.trim());
  if (id === undefined) throw streamDoesNotExist(idOrName);
  const [channel, subscription] = await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel) throw streamDoesNotExist(idOrName);
  const isReachable = subscription?.active || (!channel.inviteOnly && !isGuest(caller));
  // The message repeats what the caller sent, because the error for an ID must not reveal the name of a private channel.
  if (!isReachable) throw badRequest(`Not authorized to send to channel '${idOrName}'`);
  if (channel.isArchived) throw badRequest(`Not authorized to send to channel '${channel.name}'`);
  if (!(await hasPermission(caller, channel.permissions.can_send_message_group, realm.settings)))
    throw badRequest("You do not have permission to post in this channel.");
  return { channel, isMuted: subscription?.isMuted === true };
}

/** Returns a default channel, to which new members are subscribed; throws a 400 if the channel is not one. */
export async function accessDefaultChannel(id: number): Promise<Channel> {
  const channel = await findChannel(id);
  if (!channel) throw invalidChannel();
  if (!channel.isDefault) throw badRequest(`Couldn't find channel with ID ${channel.id} among the default ones.`);
  return channel;
}

/** Returns a channel that may become a default channel; throws a 400 if it is archived or private. */
export async function accessDefaultCandidate(id: number): Promise<Channel> {
  const channel = await findChannel(id);
  if (!channel || channel.isArchived) throw invalidChannel();
  if (channel.inviteOnly) throw badRequest("Private channels cannot be made default.");
  return channel;
}
