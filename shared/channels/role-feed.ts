import { permissionsAmong } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { listChannels } from "../store/channels.ts";
import type { LoggedEvent } from "../store/log.ts";
import { listSubscriptions } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import type { Role } from "../users/roles.ts";
import { creation, deletion } from "./feed.ts";
import { decisiveValues, mayKnow } from "./rules.ts";
import { shownChannels } from "./shown.ts";
import type { SubscriptionView } from "./state.ts";

/** A change of the reader's own role. */
export interface RoleChange {
  before: Role;
  after: Role;
}

/** What the log holds for someone whose role changes: which channels come and go for them follows when it is read. */
export const roleChange = (userId: number, change: RoleChange): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "role_change", ...change },
});

/** The channels that someone hears of for the first or the last time because of their role; two queries. */
export async function showRoleChange(
  { before, after }: RoleChange,
  { caller, realm, view }: { caller: Caller; realm: Realm; view: Pick<SubscriptionView, "archivedChannels"> },
): Promise<LoggedEvent["event"][]> {
  const [channels, subscriptions] = await Promise.all([listChannels(), listSubscriptions(caller.id)]);
  const own = new Map(subscriptions.map((subscription) => [subscription.channelId, subscription]));
  const knownAs = async (role: Role) => {
    const person = { ...caller, role };
    const holds = await permissionsAmong(person, channels.flatMap(decisiveValues), realm.settings);
    return channels.filter(
      (channel) =>
        (view.archivedChannels || !channel.isArchived) &&
        mayKnow({ person, channel, subscription: own.get(channel.id), holds }),
    );
  };
  const [knew, knows] = [await knownAs(before), await knownAs(after)];
  const gained = knows.filter((channel) => !knew.includes(channel));
  const lost = knew.filter((channel) => !knows.includes(channel)).map(({ id }) => id);
  return [
    ...(gained.length > 0 ? [creation(...(await shownChannels(gained, realm.usersVersion)))] : []),
    ...(lost.length > 0 ? [deletion(...lost)] : []),
  ];
}
