import type { Role } from "../../base/schema/roles.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { loadPermissions } from "../../services/permissions/access.ts";
import { type Channel, type ChannelWithStats, findChannelWithStats } from "../../store/channels/channels.ts";
import { findSubscription, type Subscription } from "../../store/channels/subscriptions.ts";
import type {
  LoggedStreamEvent,
  LoggedStreamUpdate,
  Membership,
  StreamEvent,
  SubscriptionEvent,
  Visibility,
} from "./event-types.ts";
import { type ChannelAccess, evaluatedPermissions, hasMetadataAccess } from "./rules.ts";
import { type SubscriptionOptions, subscriberLists } from "./state.ts";
import { withVisiblePermissions } from "./visible-permissions.ts";
import { toChannelWire, toSubscriptionWire } from "./wire.ts";

/** A client's event about a channel, derived from a logged event with the audience `channelViewers`. */
export type ChannelEvent = StreamEvent | SubscriptionEvent;

interface ChannelReader {
  caller: Caller;
  /** The caller's role at the event, where it has changed since. */
  roleThen?: Role | undefined;
  realm: Realm;
  view: SubscriptionOptions;
}

/** Derives a client's events from a logged one; none when its user may not see the channel. */
export async function toClientChannelEvents(
  event: Membership | LoggedStreamEvent,
  { caller, roleThen = caller.role, realm, view }: ChannelReader,
): Promise<ChannelEvent[]> {
  const [stored, subscription] = await Promise.all([
    findChannelWithStats(event.stream_id),
    findSubscription(caller.id, event.stream_id),
  ]);
  if (!stored) return [];
  const [channel = stored] = await withVisiblePermissions([stored], realm.usersVersion);
  const { was, is } = visibilityChange(event);
  const values = [was, is].flatMap((visibility) => Object.values(visibility?.permissions ?? {}));
  const isGranted = await loadPermissions(caller, [...evaluatedPermissions(channel), ...values], realm.settings);
  const access = { person: caller, channel, subscription, isGranted };
  if (event.type === "subscription") {
    const former = { ...caller, role: roleThen };
    const isGrantedThen =
      roleThen === caller.role
        ? isGranted
        : await loadPermissions(former, evaluatedPermissions(channel), realm.settings);
    const withoutSubscription = { person: former, channel, subscription: undefined, isGranted: isGrantedThen };
    return toMembershipEvents(event, access, hasMetadataAccess(withoutSubscription), view);
  }
  if (event.op === "update") return toUpdateEvents(event, access, view);
  return hasMetadataAccess(access) ? [channelCreatedEvent(withoutCount(channel))] : [];
}

type CountedAccess = ChannelAccess & { channel: ChannelWithStats };

/** `isVisibleAnyway`: for users who see the channel only while subscribed, it appears or disappears with the subscription. */
async function toMembershipEvents(
  event: Membership,
  access: CountedAccess & { person: Pick<Caller, "id" | "role"> },
  isVisibleAnyway: boolean,
  view: SubscriptionOptions,
): Promise<ChannelEvent[]> {
  const { channel, subscription } = access;
  const userIds = event.user_ids;
  const isJoin = event.op === "join";
  if (!userIds.includes(access.person.id)) {
    if (!hasMetadataAccess(access)) return [];
    return [
      { type: "subscription", op: isJoin ? "peer_add" : "peer_remove", stream_ids: [channel.id], user_ids: userIds },
    ];
  }
  if (!isJoin) {
    const removeEvent: ChannelEvent = {
      type: "subscription",
      op: "remove",
      subscriptions: [{ stream_id: channel.id, name: event.name }],
    };
    return isVisibleAnyway || subscription?.active ? [removeEvent] : [removeEvent, channelDeletedEvent(channel.id)];
  }
  // A user who has left meanwhile gets the removal next; nothing is sent about a channel that they can no longer see.
  if (!subscription || !(subscription.active || isVisibleAnyway)) return [];
  const addEvent = await subscriptionAddedEvent(channel, subscription, view);
  return isVisibleAnyway ? [addEvent] : [channelCreatedEvent(channel), addEvent];
}

async function subscriptionAddedEvent(
  channel: ChannelWithStats,
  subscription: Subscription,
  view: SubscriptionOptions,
): Promise<ChannelEvent> {
  const lists = await subscriberLists([channel], view.includeSubscribers);
  const record = {
    ...toSubscriptionWire(channel, subscription, view.notificationDefaults),
    ...lists.get(channel.id),
  };
  return { type: "subscription", op: "add", subscriptions: [record] };
}

export const visibilityOf = ({ isArchived, inviteOnly, isWebPublic, permissions }: Channel): Visibility => ({
  ...(isArchived && { is_archived: true }),
  invite_only: inviteOnly,
  is_web_public: isWebPublic,
  permissions: {
    can_administer_channel_group: permissions.can_administer_channel_group,
    can_add_subscribers_group: permissions.can_add_subscribers_group,
    can_subscribe_group: permissions.can_subscribe_group,
  },
});

/** The channel's visibility before and after a change, if the event contains it. */
const visibilityChange = (
  event: Membership | LoggedStreamEvent,
): { was?: Visibility | undefined; is?: Visibility | undefined } => ("was" in event ? event : {});

function withoutVisibility(event: LoggedStreamUpdate): ChannelEvent {
  if (!("was" in event)) return event;
  const { was: _, is: __, ...update } = event;
  return update;
}

const hasMetadataAccessWith = (access: CountedAccess, { invite_only, is_web_public, permissions }: Visibility) => {
  const { channel } = access;
  const kind = { inviteOnly: invite_only, isWebPublic: is_web_public };
  return hasMetadataAccess({
    ...access,
    channel: { ...channel, ...kind, permissions: { ...channel.permissions, ...permissions } },
  });
};

async function toUpdateEvents(
  event: LoggedStreamUpdate,
  access: CountedAccess,
  view: SubscriptionOptions,
): Promise<ChannelEvent[]> {
  const { channel, subscription } = access;
  const visibleNow = hasMetadataAccess(access);
  if (event.property === "is_archived" && !view.archivedChannels) {
    if (!visibleNow) return [];
    if (event.value) return [channelDeletedEvent(channel.id)];
    // The client has forgotten the channel, and the subscription with it.
    return subscription?.active
      ? [channelCreatedEvent(channel), await subscriptionAddedEvent(channel, subscription, view)]
      : channelAppearedEvents([channel], view);
  }
  const { was, is } = visibilityChange(event);
  // A change of privacy or permissions makes the channel appear or disappear for some users.
  const visibleBefore = was === undefined ? visibleNow : hasMetadataAccessWith(access, was);
  const visibleAfter = is === undefined ? visibleNow : hasMetadataAccessWith(access, is);
  if (visibleBefore === visibleAfter) return visibleNow ? [withoutVisibility(event)] : [];
  // A client that knows no archived channels has one that was archived only after this change.
  if (!visibleAfter) return was?.is_archived && !view.archivedChannels ? [] : [channelDeletedEvent(channel.id)];
  return visibleNow && (view.archivedChannels || !channel.isArchived) ? channelAppearedEvents([channel], view) : [];
}

/** The events for channels that become visible to a user, with the lists of subscribers that a registration would have. */
export async function channelAppearedEvents(
  channels: readonly ChannelWithStats[],
  view: SubscriptionOptions,
): Promise<ChannelEvent[]> {
  const lists = await subscriberLists(channels, view.includeSubscribers);
  const listedSubscribers = [...lists].flatMap(([id, { subscribers = [] }]) =>
    subscribers.length > 0 ? [{ id, subscribers }] : [],
  );
  return [
    channelCreatedEvent(
      ...channels.map((channel) => (lists.get(channel.id)?.subscribers ? withoutCount(channel) : channel)),
    ),
    ...listedSubscribers.map(
      ({ id, subscribers }): ChannelEvent => ({
        type: "subscription",
        op: "peer_add",
        stream_ids: [id],
        user_ids: subscribers,
      }),
    ),
  ];
}

/** A channel whose subscribers follow as `peer_add`, so that clients that count these count each once. */
const withoutCount = (channel: ChannelWithStats): ChannelWithStats => ({
  ...channel,
  stats: { ...channel.stats, subscriberCount: 0 },
});

const channelCreatedEvent = (...channels: ChannelWithStats[]): ChannelEvent => ({
  type: "stream",
  op: "create",
  streams: channels.map(toChannelWire),
});

export const channelDeletedEvent = (...ids: number[]): ChannelEvent => ({
  type: "stream",
  op: "delete",
  stream_ids: ids,
  streams: ids.map((stream_id) => ({ stream_id })),
});
