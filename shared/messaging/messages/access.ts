import { badRequest } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { loadContentPermissions } from "../../core/channels/content-permissions.ts";
import { isWithin } from "../../core/channels/periods.ts";
import { isExpired } from "../../core/channels/retention.ts";
import { mayReadContent, mayReadHistory } from "../../core/channels/rules.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { HasPermission } from "../../services/permissions/access.ts";
import { type Channel, findChannel } from "../../store/channels/channels.ts";
import { findSubscription, type Subscription } from "../../store/channels/subscriptions.ts";
import { findMessage, type Message } from "../../store/messages/messages.ts";

/** A message that the caller may read, with the channel and subscription that the check has read. */
export interface AccessedMessage {
  message: Message;
  /** Channel messages only. */
  channel: Channel | undefined;
  subscription: Subscription | undefined;
  /** Whether a group setting of the channel includes the caller; decides about content without a subscription. */
  hasContentPermission: HasPermission;
}

/** Returns a message that the caller may read. Absent, expired and unreadable messages give the same error. 2 read units. */
export async function accessMessage(caller: Caller, id: number, realm: Realm): Promise<AccessedMessage> {
  const accessed = await findReadable(caller, id, realm);
  if (!accessed) throw invalidMessage();
  return accessed;
}

/** Like `accessMessage`, but undefined if the message does not exist or the caller may not read it. */
export async function findReadable(caller: Caller, id: number, realm: Realm): Promise<AccessedMessage | undefined> {
  const message = await findMessage(id);
  if (!message) return undefined;
  const { channelId } = message;
  const [channel, subscription] =
    channelId === undefined ? [] : await Promise.all([findChannel(channelId), findSubscription(caller.id, channelId)]);
  const hasContentPermission = await loadContentPermissions(caller, subscription?.active ? [] : [channel], realm);
  if (
    !mayRead(caller, message, channel, subscription, hasContentPermission) ||
    isExpired(message, channel, realm.settings)
  )
    return undefined;
  return { message, channel, subscription, hasContentPermission };
}

/** Returns a message that the caller may react to or change: messages of archived channels are read-only. */
export async function accessMessageToChange(caller: Caller, id: number, realm: Realm): Promise<AccessedMessage> {
  const accessed = await accessMessage(caller, id, realm);
  if (accessed.channel?.isArchived) throw invalidMessage();
  return accessed;
}

/** What a need of the message is loaded from that the parameter `message_id` names. */
export interface NamedMessage {
  caller: Caller;
  params: { message_id: number };
  realm: Promise<Realm>;
}

export const findSent = async (id: number | undefined): Promise<Message | undefined> =>
  id === undefined ? undefined : findMessage(id);

/** The message that a request names, if the caller may read it. */
export const readableMessage: Need<AccessedMessage, NamedMessage> = {
  early: (sent) => findSent(sent("message_id")),
  load: async ({ caller, params, realm }) => accessMessage(caller, params.message_id, await realm),
};

/** The message that a request names, if the caller may react to it or change it. */
export const messageToChange: Need<AccessedMessage, NamedMessage> = {
  ...readableMessage,
  load: async ({ caller, params, realm }) => accessMessageToChange(caller, params.message_id, await realm),
};

export const invalidMessage = () => badRequest("Invalid message(s)");

/** Whether the caller may read a message: as a participant of its conversation, or within their history of its channel. */
export function mayRead(
  caller: Pick<Caller, "id" | "role">,
  message: Message,
  channel: Channel | undefined,
  subscription: Subscription | undefined,
  hasContentPermission: HasPermission,
): boolean {
  if (message.channelId === undefined) return message.userIds?.includes(caller.id) === true;
  if (!channel || !mayReadContent(caller, channel, subscription, hasContentPermission)) return false;
  return (
    mayReadHistory(caller, channel, subscription, hasContentPermission) ||
    isWithin(subscription?.periods ?? [], message)
  );
}
