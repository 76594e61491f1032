import { isWithin } from "../../core/channels/periods.ts";
import { mayReadHistory } from "../../core/channels/rules.ts";
import { type Caller, isGuest } from "../../services/identity/caller.ts";
import { type Channel, findChannels } from "../../store/channels/channels.ts";
import { findSubscription, type Subscription } from "../../store/channels/subscriptions.ts";
import type { EventQueue } from "../../store/delivery/event-queues.ts";
import type { Audience, LoggedEvent } from "../../store/log/entry.ts";

export interface AddressedEvent extends LoggedEvent {
  sequence: number;
  /** Whether the queue's owner was in the event's audience at that point of the log. */
  addressed: boolean;
}

type ChannelAudience = Extract<Audience, { kind: "channel" }>;

/**
 * Returns a predicate for the events that the queue's owner may see. The audience alone does not decide: a queue may receive
 * public channels without a subscription, and an event about an older message is only for those who may read it. Reads
 * each channel of such events, and the subscription to it; nothing for other events.
 */
export async function audienceFilter(
  caller: Caller,
  queue: EventQueue,
  events: readonly AddressedEvent[],
): Promise<(event: AddressedEvent) => boolean> {
  const receivesPublicChannels = (queue.allPublicStreams || queue.narrow.length > 0) && !isGuest(caller);
  const isUnsubscribedMessage = ({ addressed, event }: AddressedEvent) =>
    receivesPublicChannels && !addressed && event.type === "message";
  const eventsToCheck = events.filter((logged) => isAboutMessage(logged, caller) || isUnsubscribedMessage(logged));
  const ids = [
    ...new Set(eventsToCheck.flatMap(({ audience }) => (audience.kind === "channel" ? audience.channelId : []))),
  ];
  const [channels, subscriptions] = await Promise.all([
    findChannels(ids),
    Promise.all(ids.map((id) => findSubscription(caller.id, id))),
  ]);
  const accessById = new Map(
    ids.map((id, index) => [id, { channel: channels[index], subscription: subscriptions[index] }]),
  );
  return (logged) => {
    if (logged.audience.kind !== "channel") return logged.addressed;
    const { channel, subscription } = accessById.get(logged.audience.channelId) ?? {};
    if (isUnsubscribedMessage(logged)) return channel?.inviteOnly === false;
    return (
      logged.addressed && (!isAboutMessage(logged, caller) || mayRead(caller, logged.audience, channel, subscription))
    );
  };
}

/** Whether the event is about a message to which access must be checked. Users whom the audience names need no check. */
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
