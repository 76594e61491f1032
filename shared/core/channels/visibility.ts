import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { isPermitted } from "../../services/permissions/rules.ts";
import type { ChannelWithStats } from "../../store/channels/channels.ts";
import { listSubscriptions, type Subscription } from "../../store/channels/subscriptions.ts";
import type { Memberships } from "../user-groups/memberships.ts";
import { type ChannelEvent, channelAppearedEvents, channelDeletedEvent } from "./channel-events.ts";
import { hasMetadataAccess } from "./rules.ts";
import type { SubscriptionOptions } from "./state.ts";
import { withVisiblePermissions } from "./visible-permissions.ts";

/** What decides which channels a user can see, besides their subscriptions. */
interface VisibilityContext extends Memberships, Pick<Caller, "role"> {
  /** After how many days one is a full member, where that is not the organization's setting. */
  waitingDays?: number;
}

/**
 * The events for channels that appear or disappear for a user when their role, groups or waiting period change from
 * `before` to `after`. `subscribedThen`: to which channels they were subscribed at the change, where it is another than now.
 * Costs one query, and one more for each subscriber list that the client asked for.
 */
export async function channelVisibilityEvents(
  [before, after, current]: readonly [VisibilityContext, VisibilityContext, VisibilityContext],
  channels: readonly ChannelWithStats[],
  {
    caller,
    realm,
    view,
    subscribedThen,
  }: { caller: Caller; realm: Realm; view: SubscriptionOptions; subscribedThen: ReadonlyMap<number, boolean> },
): Promise<ChannelEvent[]> {
  const subscriptions = await listSubscriptions(caller.id);
  const subscriptionsByChannel = new Map(subscriptions.map((subscription) => [subscription.channelId, subscription]));
  const visibleChannels = (
    { role, groupIds, subgroups, waitingDays = realm.settings.waiting_period_threshold }: VisibilityContext,
    subscribed: ReadonlyMap<number, boolean> = new Map(),
  ) => {
    const person = { ...caller, role, groupIds };
    return channels.filter(
      (channel) =>
        (view.archivedChannels || !channel.isArchived) &&
        hasMetadataAccess({
          person,
          channel,
          subscription: subscriptionAs(subscriptionsByChannel.get(channel.id), subscribed.get(channel.id)),
          isGranted: (value) => isPermitted(person, value, { subgroups }, waitingDays),
        }),
    );
  };
  const [visibleBefore, visibleAfter] = [before, after].map(
    (context) => new Set(visibleChannels(context, subscribedThen)),
  ) as [Set<ChannelWithStats>, Set<ChannelWithStats>];
  // Channels that were gained but have been lost again are not sent.
  const visibleNow = new Set(visibleChannels(current));
  const gained = [...visibleAfter.difference(visibleBefore).intersection(visibleNow)];
  const lost = [...visibleBefore.difference(visibleAfter)].map(({ id }) => id);
  return [
    ...(gained.length > 0
      ? await channelAppearedEvents(await withVisiblePermissions(gained, realm.usersVersion), view)
      : []),
    ...(lost.length > 0 ? [channelDeletedEvent(...lost)] : []),
  ];
}

const subscriptionAs = (subscription: Subscription | undefined, active: boolean | undefined) =>
  subscription && active !== undefined ? { ...subscription, active } : subscription;
