import type { Caller } from "../../services/identity/caller.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { type HasPermission, loadPermissions } from "../../services/permissions/access.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { findSubscriptionsOf, type Subscription } from "../../store/channels/subscriptions.ts";
import { evaluatedPermissions, hasMetadataAccess } from "./rules.ts";

/** Channels' names by ID. */
export type ChannelNames = ReadonlyMap<number, string>;

/**
 * The names of those of the channels that a user may see now: the name of a private channel is as private as the channel, also
 * where something that the user kept refers to it. Channels that are visible without a subscription cost nothing more than
 * reading them.
 */
export async function findVisibleChannelNames(person: Caller, ids: readonly number[]): Promise<ChannelNames> {
  const channels = (await findChannels([...new Set(ids)])).filter((channel) => channel !== undefined);
  const shownWith = (subscriptions: readonly (Subscription | undefined)[], isGranted: HasPermission) =>
    channels.filter((channel, index) =>
      hasMetadataAccess({ person, channel, subscription: subscriptions[index], isGranted }),
    );
  let shown = shownWith([], () => false);
  if (shown.length < channels.length) {
    const [subscriptions, { settings }] = await Promise.all([
      findSubscriptionsOf(
        person.id,
        channels.map(({ id }) => id),
      ),
      loadRealm(),
    ]);
    shown = shownWith(subscriptions, await loadPermissions(person, channels.flatMap(evaluatedPermissions), settings));
  }
  return new Map(shown.map(({ id, name }) => [id, name]));
}
