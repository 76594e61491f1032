import { permissionsAmong } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { type Channel, type ChannelPermissions, type CountedChannel, findCountedChannel } from "../store/channels.ts";
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
 * - `{ type: "stream", op: "update", stream_id, name, property, value, ... }` as clients get it; with `was` and `is`, what
 *   decided before and after who knows of the channel, in the first event of a change that touches this
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
  const values = [event.was, event.is].flatMap((facts) =>
    Object.values((facts as Sight | undefined)?.permissions ?? {}),
  );
  const holds = await permissionsAmong(caller, [...decisiveValues(channel), ...values], realm.settings);
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

/** What decides who knows of a channel. */
interface Sight {
  invite_only: boolean;
  is_web_public: boolean;
  permissions: Partial<ChannelPermissions>;
}

/** The permissions of which each lets people know of a private channel. */
export const permissionsToKnow = [
  "can_administer_channel_group",
  "can_add_subscribers_group",
  "can_subscribe_group",
] as const;

export const sightOf = ({ inviteOnly, isWebPublic, permissions }: Channel): Sight => ({
  invite_only: inviteOnly,
  is_web_public: isWebPublic,
  permissions: Object.fromEntries(permissionsToKnow.map((name) => [name, permissions[name]])),
});

const mayKnowAs = (standing: CountedStanding, { invite_only, is_web_public, permissions }: Sight) => {
  const { channel } = standing;
  const kind = { inviteOnly: invite_only, isWebPublic: is_web_public };
  return mayKnow({
    ...standing,
    channel: { ...channel, ...kind, permissions: { ...channel.permissions, ...permissions } },
  });
};

async function showUpdate(
  event: ChannelEvent,
  standing: CountedStanding,
  view: SubscriptionView,
): Promise<ChannelEvent[]> {
  const { channel } = standing;
  const knows = mayKnow(standing);
  if (event.property === "is_archived" && !view.archivedChannels)
    return knows ? [event.value ? deletion(channel.id) : creation(channel)] : [];
  const { was, is, ...update } = event;
  // Making a channel private takes it from those who knew of it because it was public, and the other way round; so do
  // permissions of a private one.
  const knew = was === undefined ? knows : mayKnowAs(standing, was as Sight);
  const knewThen = is === undefined ? knows : mayKnowAs(standing, is as Sight);
  if (knew === knewThen) return knows ? [update] : [];
  if (channel.isArchived && !view.archivedChannels) return [];
  if (!knewThen) return [deletion(channel.id)];
  return knows ? appearance([channel], view) : [];
}

/** Lists of subscribers that are told at once: those of further channels are fetched when they are looked at. */
const listsTold = 100;

/** Channels that come into somebody's sight, with their subscribers for a client that asked for lists of them. */
export async function appearance(channels: readonly CountedChannel[], view: SubscriptionView): Promise<ChannelEvent[]> {
  const lists = await subscriberLists(channels.slice(0, listsTold), view.includeSubscribers);
  const told = [...lists].filter(([, { subscribers = [] }]) => subscribers.length > 0);
  return [
    creation(...channels),
    ...told.map(([id, { subscribers }]) => ({
      type: "subscription",
      op: "peer_add",
      stream_ids: [id],
      user_ids: subscribers,
    })),
  ];
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
