import { toCaller } from "../../services/identity/access.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { type HasPermission, loadPermissions } from "../../services/permissions/access.ts";
import { isPermitted, type PermissionHolder } from "../../services/permissions/rules.ts";
import type { Channel } from "../../store/channels/channels.ts";
import { findSubscriptionsTo, type Subscription } from "../../store/channels/subscriptions.ts";
import { findGroupGraph } from "../../store/organization/groups.ts";
import { findAccounts } from "../../store/users/accounts.ts";
import { mayReadContent } from "./rules.ts";

/** The permissions that give access to a private channel's content without a subscription. */
const contentPermissions = (channel: Channel | undefined) =>
  channel?.inviteOnly ? [channel.permissions.can_subscribe_group, channel.permissions.can_add_subscribers_group] : [];

/** Loads the predicate that `mayReadContent` needs. Reads the group graph only if a private channel names a custom group. */
export const loadContentPermissions = (
  reader: PermissionHolder,
  channels: readonly (Channel | undefined)[],
  { settings }: Pick<Realm, "settings">,
): Promise<HasPermission> => loadPermissions(reader, channels.flatMap(contentPermissions), settings);

/** Whether a user may read a channel's content. Costs up to two reads unless the subscription or a public channel decides. */
export async function isContentReadable(
  reader: PermissionHolder,
  channel: Channel,
  subscription: Subscription | undefined,
): Promise<boolean> {
  if (mayReadContent(reader, channel, subscription, () => false)) return true;
  return mayReadContent(
    reader,
    channel,
    subscription,
    await loadContentPermissions(reader, [channel], await loadRealm()),
  );
}

/**
 * The users among `userIds` who may read a channel's content, deactivated ones as after their reactivation. 1 to 3 read units
 * for each user, 1 less for those whose profiles are cached.
 */
export async function listContentReaders(
  channel: Channel,
  userIds: readonly number[],
  { settings, usersVersion }: Realm,
): Promise<Set<number>> {
  const [profiles, subscriptions] = await Promise.all([
    findCachedProfiles(userIds, usersVersion),
    findSubscriptionsTo(channel.id, userIds),
  ]);
  const others: string[] = [];
  const readers = userIds.filter((userId, index) => {
    const user = profiles.get(userId);
    if (!user) return false;
    const isReader =
      mayReadContent(user, channel, subscriptions[index], () => false) ||
      (!user.active && user.suspendedChannelIds?.has(channel.id));
    if (!isReader) others.push(user.email);
    return isReader;
  });
  if (!channel.inviteOnly || others.length === 0) return new Set(readers);
  const [accounts, graph] = await Promise.all([findAccounts(others), findGroupGraph()]);
  const permitted = accounts.filter((account) => {
    if (!account) return false;
    const holder = toCaller(account);
    const isGranted: HasPermission = (value) => isPermitted(holder, value, graph, settings.waiting_period_threshold);
    return mayReadContent(holder, channel, undefined, isGranted);
  });
  return new Set([...readers, ...permitted.flatMap((account) => account?.userId ?? [])]);
}
