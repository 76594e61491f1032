import { badRequest } from "../../base/errors.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { loadPermissions } from "../../services/permissions/access.ts";
import {
  type ChannelWithStats,
  findChannelIdsByName,
  findChannels,
  findChannelWithStats,
} from "../../store/channels/channels.ts";
import { findSubscription, findSubscriptionsOf } from "../../store/channels/subscriptions.ts";
import { type ChannelAccess, evaluatedPermissions, hasContentAccess, hasMetadataAccess } from "./rules.ts";

export interface ChannelAccessWithStats extends ChannelAccess {
  person: Caller;
  channel: ChannelWithStats;
}

export const invalidChannel = () => badRequest("Invalid channel ID");

/**
 * Returns a channel whose metadata the caller may see; absent and hidden ones give the same error. Costs 1 read unit, and
 * 1 more when permissions name custom groups.
 */
export async function accessChannel(caller: Caller, id: number, realm: Realm): Promise<ChannelAccessWithStats> {
  const [channel, subscription] = await Promise.all([findChannelWithStats(id), findSubscription(caller.id, id)]);
  if (!channel) throw invalidChannel();
  const isGranted = await loadPermissions(caller, evaluatedPermissions(channel), realm.settings);
  const access = { person: caller, channel, subscription, isGranted };
  if (!hasMetadataAccess(access)) throw invalidChannel();
  return access;
}

/** Returns a channel whose messages the caller may read. */
export async function accessChannelContent(caller: Caller, id: number, realm: Realm): Promise<ChannelAccessWithStats> {
  const access = await accessChannel(caller, id, realm);
  if (!hasContentAccess(access)) throw invalidChannel();
  return access;
}

/** Returns a channel by name, if the caller may see its metadata. */
export async function accessChannelNamed(caller: Caller, name: string, realm: Realm): Promise<ChannelAccess> {
  const [access] = await listAccessByName(caller, [name.trim()], realm);
  if (!access || !hasMetadataAccess(access)) throw badRequest(`Invalid channel name '${name}'`);
  return access;
}

/** The caller's access to each named channel, in the order of `names`; undefined where there is no such channel. */
export async function listAccessByName(
  caller: Caller,
  names: readonly string[],
  realm: Realm,
): Promise<((ChannelAccess & { person: Caller }) | undefined)[]> {
  const ids = await findChannelIdsByName(names);
  const existingIds = ids.filter((id) => id !== undefined);
  const [channels, subscriptions] = await Promise.all([
    findChannels(existingIds),
    findSubscriptionsOf(caller.id, existingIds),
  ]);
  const permissions = channels.flatMap((channel) => (channel ? evaluatedPermissions(channel) : []));
  const isGranted = await loadPermissions(caller, permissions, realm.settings);
  const accesses = new Map(
    existingIds.flatMap((id, index) => {
      const channel = channels[index];
      return channel ? [[id, { person: caller, channel, subscription: subscriptions[index], isGranted }] as const] : [];
    }),
  );
  return ids.map((id) => (id === undefined ? undefined : accesses.get(id)));
}
