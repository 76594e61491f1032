import { badRequest } from "../errors.ts";
import { permissionsAmong } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { type CountedChannel, findChannelIdsByName, findChannels, findCountedChannel } from "../store/channels.ts";
import { findSubscription, findSubscriptionsOf } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import { decisiveValues, hasContentAccess, mayKnow, type Standing } from "./rules.ts";

/** A channel with its numbers and how the caller stands to it. */
export interface CountedStanding extends Standing {
  person: Caller;
  channel: CountedChannel;
}

export const invalidChannel = () => badRequest("Invalid channel ID");

/**
 * A channel that the caller may know of; absent and hidden ones give the same error. One read unit, and half a one
 * where groups nest; `consistent`, for those who change the channel, twice that.
 */
export async function accessChannel(
  caller: Caller,
  id: number,
  realm: Realm,
  { consistent = false } = {},
): Promise<CountedStanding> {
  const [channel, subscription] = await Promise.all([
    findCountedChannel(id, { consistent }),
    findSubscription(caller.id, id),
  ]);
  if (!channel) throw invalidChannel();
  const holds = await permissionsAmong(caller, decisiveValues(channel), realm.settings);
  const standing = { person: caller, channel, subscription, holds };
  if (!mayKnow(standing)) throw invalidChannel();
  return standing;
}

/** A channel whose messages the caller may read. */
export async function accessChannelContent(caller: Caller, id: number, realm: Realm): Promise<CountedStanding> {
  const standing = await accessChannel(caller, id, realm);
  if (!hasContentAccess(standing)) throw invalidChannel();
  return standing;
}

/** How the caller stands to each of the named channels, in their order; undefined where there is none. */
export async function standingsToNamed(
  caller: Caller,
  names: readonly string[],
  realm: Realm,
): Promise<((Standing & { person: Caller }) | undefined)[]> {
  const ids = await findChannelIdsByName(names);
  const known = ids.filter((id) => id !== undefined);
  const [channels, subscriptions] = await Promise.all([findChannels(known), findSubscriptionsOf(caller.id, known)]);
  const values = channels.flatMap((channel) => (channel ? decisiveValues(channel) : []));
  const holds = await permissionsAmong(caller, values, realm.settings);
  const standings = new Map(
    known.flatMap((id, index) => {
      const channel = channels[index];
      return channel ? [[id, { person: caller, channel, subscription: subscriptions[index], holds }] as const] : [];
    }),
  );
  return ids.map((id) => (id === undefined ? undefined : standings.get(id)));
}
