import { mayReadHistory } from "../channels/rules.ts";
import { isWithin } from "../messages/periods.ts";
import { type Channel, findChannels } from "../store/channels.ts";
import type { EventQueue } from "../store/event-queues.ts";
import type { Audience } from "../store/log.ts";
import { findSubscription, type Subscription } from "../store/subscriptions.ts";
import { type Caller, isGuest } from "../users/caller.ts";
import type { PlacedEvent } from "./client-events.ts";

type ChannelAudience = Extract<Audience, { kind: "channel" }>;

/**
 * Tells which of some events the queue's owner may see, where that takes more than the audience: a queue may hear public
 * channels without a subscription, and an event about an older message is for those who may read that message. One read
 * for each channel concerned, none for other events.
 */
export async function readersOf(
  caller: Caller,
  queue: EventQueue,
  placed: readonly PlacedEvent[],
): Promise<(event: PlacedEvent) => boolean> {
  const overhears = (queue.allPublicStreams || queue.narrow.length > 0) && !isGuest(caller);
  const isOverheard = ({ addressed, event }: PlacedEvent) => overhears && !addressed && event.type === "message";
  const concerned = placed.filter((one) => isAboutMessage(one, caller) || isOverheard(one));
  const ids = [
    ...new Set(concerned.flatMap(({ audience }) => (audience.kind === "channel" ? audience.channelId : []))),
  ];
  const [channels, subscriptions] = await Promise.all([
    findChannels(ids),
    Promise.all(ids.map((id) => findSubscription(caller.id, id))),
  ]);
  const standing = new Map(
    ids.map((id, index) => [id, { channel: channels[index], subscription: subscriptions[index] }]),
  );
  return (one) => {
    if (one.audience.kind !== "channel") return one.addressed;
    const { channel, subscription } = standing.get(one.audience.channelId) ?? {};
    if (isOverheard(one)) return channel?.inviteOnly === false;
    return one.addressed && (!isAboutMessage(one, caller) || mayRead(caller, one.audience, channel, subscription));
  };
}

/** Whoever is named in the audience beside the subscribers sees the event in any case. */
const isAboutMessage = ({ audience, addressed }: PlacedEvent, caller: Caller) =>
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
  // Such events are for subscribers: who may have the content without a subscription asks for it.
  if (mayReadHistory(caller, channel, subscription, () => false)) return true;
  return isWithin(subscription?.periods ?? [], { id, ...(arrivedAs !== undefined && { arrivedAs }) });
}
