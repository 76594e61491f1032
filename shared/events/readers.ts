import { isWithin } from "../channels/periods.ts";
import { mayReadHistory } from "../channels/rules.ts";
import { type Caller, isGuest } from "../identity/caller.ts";
import { type Channel, findChannels } from "../store/channels/channels.ts";
import { findSubscription, type Subscription } from "../store/channels/subscriptions.ts";
import type { EventQueue } from "../store/delivery/event-queues.ts";
import type { Audience, LoggedEvent } from "../store/log/entry.ts";

/** A logged event, and whether the queue's owner is in its audience. */
export interface AddressedEvent extends LoggedEvent {
  sequence: number;
  /** Whether the queue's owner was in its audience at that point of the log. */
  addressed: boolean;
}

type ChannelAudience = Extract<Audience, { kind: "channel" }>;

/**
 * Returns a predicate for the events that the queue's owner may see. The audience alone does not decide: a queue may receive
 * public channels without a subscription, and an event about an older message is only for those who may read it. One read
 * for each channel concerned, none for other events.
 */
export async function readersOf(
  caller: Caller,
  queue: EventQueue,
  placed: readonly AddressedEvent[],
): Promise<(event: AddressedEvent) => boolean> {
  const receivesPublicChannels = (queue.allPublicStreams || queue.narrow.length > 0) && !isGuest(caller);
  const isUnsubscribedMessage = ({ addressed, event }: AddressedEvent) =>
    receivesPublicChannels && !addressed && event.type === "message";
  const concerned = placed.filter((one) => isAboutMessage(one, caller) || isUnsubscribedMessage(one));
  const ids = [
    ...new Set(concerned.flatMap(({ audience }) => (audience.kind === "channel" ? audience.channelId : []))),
  ];
  const [channels, subscriptions] = await Promise.all([
    findChannels(ids),
    Promise.all(ids.map((id) => findSubscription(caller.id, id))),
  ]);
  const accessById = new Map(
    ids.map((id, index) => [id, { channel: channels[index], subscription: subscriptions[index] }]),
  );
  return (one) => {
    if (one.audience.kind !== "channel") return one.addressed;
    const { channel, subscription } = accessById.get(one.audience.channelId) ?? {};
    if (isUnsubscribedMessage(one)) return channel?.inviteOnly === false;
    return one.addressed && (!isAboutMessage(one, caller) || mayRead(caller, one.audience, channel, subscription));
  };
}

/** Users whom the audience names sees the event without this check. */
const isAboutMessage = ({ audience, addressed }: AddressedEvent, caller: Caller) =>
  addressed &&
  audience.kind === "channel" &&
  audience.messageId !== undefined &&
  !audience.userIds?.includes(caller.id);

function mayRead(
  caller: Caller,
  { messageId: id = 0, arrivedAs }: ChannelAudience,
  channel: Channel | undefined,
  subscription: Subscription | undefined,
): boolean {
  if (!channel) return false;
  // Content access without a subscription does not count: such users fetch messages instead of receiving events.
  if (mayReadHistory(caller, channel, subscription, () => false)) return true;
  return isWithin(subscription?.periods ?? [], { id, ...(arrivedAs !== undefined && { arrivedAs }) });
}
