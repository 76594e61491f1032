import { permissionsAmong } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { type CountedChannel, findCountedChannel } from "../store/channels.ts";
import type { LoggedEvent } from "../store/log.ts";
import { findSubscription, type Subscription } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import { decisiveValues, mayKnow, type Standing } from "./rules.ts";
import { shownChannels } from "./shown.ts";
import { type SubscriptionView, subscriberLists } from "./state.ts";
import { wireChannel, wireSubscription } from "./wire.ts";

/**
 * What the log says of a channel, as one client sees it. The log says each thing once; what follows for whom depends
 * on the reader: a subscription is `add` for its owner and `peer_add` for the others.
 *
 * In the log, with the audience `channelViewers`:
 * - `{ type: "subscription", op: "join" | "leave", stream_id, name, user_ids }`
 * - `{ type: "stream", op: "create", stream_id }`
 * - `{ type: "stream", op: "update", stream_id, name, property, value, ... }` as clients get it; with `was`, the kind before, when
 *   the property is `invite_only`
 */
export type ChannelEvent = LoggedEvent["event"];

interface ChannelReader {
  caller: Caller;
  realm: Realm;
  view: SubscriptionView;
}

/** The client's events of a logged one whose audience is `channelViewers`: none when the client may not know of it. */
export async function showChannelEvent(
  { audience, event }: LoggedEvent,
  { caller, realm, view }: ChannelReader,
): Promise<ChannelEvent[]> {
  if (audience.kind !== "channelViewers") return [event];
  const [stored, subscription] = await Promise.all([
    findCountedChannel(audience.channelId),
    findSubscription(caller.id, audience.channelId),
  ]);
  if (!stored) return [];
  const [channel = stored] = await shownChannels([stored], realm.usersVersion);
  const holds = await permissionsAmong(caller, decisiveValues(channel), realm.settings);
  const standing = { person: caller, channel, subscription, holds };
  if (event.type === "subscription") return showMembership(event, standing, view);
  if (event.op === "update") return showUpdate(event, standing, view);
  return mayKnow(standing) ? [creation(channel)] : [];
}

type CountedStanding = Standing & {
  channel: CountedChannel;
  subscription: Subscription | undefined;
  person: { role: Caller["role"] };
};

async function showMembership(
  event: ChannelEvent,
  standing: CountedStanding & { person: Pick<Caller, "id" | "role"> },
  view: SubscriptionView,
): Promise<ChannelEvent[]> {
  const { channel, subscription } = standing;
  const userIds = event.user_ids as number[];
  const isJoin = event.op === "join";
  if (!userIds.includes(standing.person.id)) {
    if (!mayKnow(standing)) return [];
    return [
      { type: "subscription", op: isJoin ? "peer_add" : "peer_remove", stream_ids: [channel.id], user_ids: userIds },
    ];
  }
  // Someone who knows of the channel only while subscribed hears of it now, or has heard the last of it.
  const knowsAnyway = mayKnow({ ...standing, subscription: undefined });
  if (!isJoin) {
    const removed = {
      type: "subscription",
      op: "remove",
      subscriptions: [{ stream_id: channel.id, name: event.name }],
    };
    return knowsAnyway || subscription?.active ? [removed] : [removed, deletion(channel.id)];
  }
  // Those who have left since hear of that next; of a channel that they do not know any more, nothing at all.
  if (!subscription || !(subscription.active || knowsAnyway)) return [];
  const lists = await subscriberLists([channel], view.includeSubscribers);
  const record = {
    ...wireSubscription(channel, subscription, view.notificationDefaults),
    ...lists.get(channel.id),
  };
  const added = { type: "subscription", op: "add", subscriptions: [record] };
  return knowsAnyway ? [added] : [creation(channel), added];
}

function showUpdate(event: ChannelEvent, standing: CountedStanding, view: SubscriptionView): ChannelEvent[] {
  const { channel } = standing;
  const knows = mayKnow(standing);
  if (event.property === "is_archived" && !view.archivedChannels)
    return knows ? [event.value ? deletion(channel.id) : creation(channel)] : [];
  if (event.property !== "invite_only") return knows ? [event] : [];
  // Making a channel private takes it from those who knew of it because it was public, and the other way round.
  const { was, ...update } = event;
  const { invite_only: inviteOnly, is_web_public: isWebPublic } = was as {
    invite_only: boolean;
    is_web_public: boolean;
  };
  const knew = mayKnow({ ...standing, channel: { ...channel, inviteOnly, isWebPublic } });
  if (knows) return [knew ? update : creation(channel)];
  return knew ? [deletion(channel.id)] : [];
}

/** Tells of channels that somebody hears of for the first time. */
export const creation = (...channels: CountedChannel[]) => ({
  type: "stream",
  op: "create",
  streams: channels.map(wireChannel),
});

/** Tells of channels that are none of somebody's any more. */
export const deletion = (...ids: number[]) => ({
  type: "stream",
  op: "delete",
  stream_ids: ids,
  streams: ids.map((stream_id) => ({ stream_id })),
});
