import { holds } from "../groups/rules.ts";
import type { Ties } from "../groups/ties.ts";
import type { Realm } from "../organization/access.ts";
import type { CountedChannel } from "../store/channels.ts";
import type { LoggedEvent } from "../store/log.ts";
import { listSubscriptions } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import { appearance, deletion } from "./feed.ts";
import { mayKnow } from "./rules.ts";
import { shownChannels } from "./shown.ts";
import type { SubscriptionView } from "./state.ts";

/** What of a reader decides which channels they know of, beside their subscriptions. */
export type Vantage = Ties & Pick<Caller, "role">;

/**
 * Tells which of `channels` a reader hears of for the first or the last time because they stood otherwise before a
 * change than after it: one query, and one more for each list of subscribers that the client asked for.
 */
export async function showSightChange(
  [before, after, current]: readonly [Vantage, Vantage, Vantage],
  channels: readonly CountedChannel[],
  { caller, realm, view }: { caller: Caller; realm: Realm; view: SubscriptionView },
): Promise<LoggedEvent["event"][]> {
  const subscriptions = await listSubscriptions(caller.id);
  const own = new Map(subscriptions.map((subscription) => [subscription.channelId, subscription]));
  const knownFrom = ({ role, groupIds, subgroups }: Vantage) => {
    const person = { ...caller, role, groupIds };
    return channels.filter(
      (channel) =>
        (view.archivedChannels || !channel.isArchived) &&
        mayKnow({
          person,
          channel,
          subscription: own.get(channel.id),
          holds: (value) => holds(person, value, { subgroups }, realm.settings.waiting_period_threshold),
        }),
    );
  };
  const [knew, knows] = [new Set(knownFrom(before)), new Set(knownFrom(after))];
  // What was gained and is lost again by now is shown no more.
  const now = new Set(knownFrom(current));
  const gained = [...knows.difference(knew).intersection(now)];
  const lost = [...knew.difference(knows)].map(({ id }) => id);
  return [
    ...(gained.length > 0 ? await appearance(await shownChannels(gained, realm.usersVersion), view) : []),
    ...(lost.length > 0 ? [deletion(...lost)] : []),
  ];
}
