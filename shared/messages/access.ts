import { contentHolds } from "../channels/content.ts";
import { mayReadContent, mayReadHistory } from "../channels/rules.ts";
import { badRequest } from "../errors.ts";
import type { Holds } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { type Channel, findChannel } from "../store/channels.ts";
import { findMessage, type Message } from "../store/messages.ts";
import { findSubscription, type Subscription } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import { isWithin } from "./periods.ts";
import { isExpired } from "./retention.ts";

/** A message that the caller may read, with what was read to find that out. */
export interface AccessedMessage {
  message: Message;
  /** Channel messages only. */
  channel: Channel | undefined;
  subscription: Subscription | undefined;
  /** What the channel's content depends on beside the subscription. */
  holds: Holds;
}

/** A message that the caller may read; absent, expired and not theirs to read give the same error. 2 read units. */
export async function accessMessage(caller: Caller, id: number, realm: Realm): Promise<AccessedMessage> {
  const message = await findMessage(id);
  if (!message) throw invalidMessage();
  const { channelId } = message;
  const [channel, subscription] =
    channelId === undefined ? [] : await Promise.all([findChannel(channelId), findSubscription(caller.id, channelId)]);
  const holds = await contentHolds(caller, subscription?.active ? [] : [channel], realm);
  if (!mayRead(caller, message, channel, subscription, holds) || isExpired(message, channel, realm.settings))
    throw invalidMessage();
  return { message, channel, subscription, holds };
}

/** A message that the caller may react to or change: archived channels stay as they are. */
export async function accessMessageToChange(caller: Caller, id: number, realm: Realm): Promise<AccessedMessage> {
  const accessed = await accessMessage(caller, id, realm);
  if (accessed.channel?.isArchived) throw invalidMessage();
  return accessed;
}

const invalidMessage = () => badRequest("Invalid message(s)");

/** Whether a message is the caller's to read: theirs, or their channel's, within the history that they may see. */
export function mayRead(
  caller: Pick<Caller, "id" | "role">,
  message: Message,
  channel: Channel | undefined,
  subscription: Subscription | undefined,
  holds: Holds,
): boolean {
  if (message.channelId === undefined) return message.userIds?.includes(caller.id) === true;
  if (!channel || !mayReadContent(caller, channel, subscription, holds)) return false;
  return mayReadHistory(caller, channel, subscription, holds) || isWithin(subscription?.periods ?? [], message);
}
