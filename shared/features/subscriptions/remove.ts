import { ApiError, insufficientPermission } from "../../base/errors.ts";
import { nameKey } from "../../base/name-key.ts";
import { listAccessByName } from "../../core/channels/channel-access.ts";
import { type ChannelAccess, hasMetadataAccess, mayRemoveSubscribers } from "../../core/channels/rules.ts";
import { type Caller, isBot } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { User } from "../../store/users/users.ts";
import { unsubscribe } from "./subscribe.ts";

/**
 * Returns the named channels. Throws if one does not exist or is hidden from the caller, or if the caller may not unsubscribe
 * these users from one.
 */
export async function accessChannelsToUnsubscribe(
  caller: Caller,
  names: readonly string[],
  people: readonly User[],
  realm: Realm,
): Promise<ChannelAccess[]> {
  const uniqueNames = [...new Map(names.map((name) => [nameKey(name.trim()), name.trim()])).values()];
  const accesses = await listAccessByName(caller, uniqueNames, realm);
  const unknownNames = uniqueNames.filter((_, index) => {
    const access = accesses[index];
    return !access || !hasMetadataAccess(access);
  });
  if (unknownNames.length > 0)
    throw new ApiError("STREAM_DOES_NOT_EXIST", `Channel(s) (${unknownNames.join(", ")}) do not exist`, {
      stream: unknownNames.join(", "),
    });
  const knownAccesses = accesses.filter((access) => access !== undefined);
  // Users may unsubscribe their own bots from any channel.
  const others = people.filter(
    ({ id, ownerId, ...user }) => id !== caller.id && !(isBot(user) && ownerId === caller.id),
  );
  if (others.length > 0 && !knownAccesses.every(mayRemoveSubscribers)) throw insufficientPermission();
  return knownAccesses;
}

/** Unsubscribes users; returns the channels from which somebody was removed, and those to which somebody was not subscribed. */
export async function removeSubscriptions(
  accesses: readonly ChannelAccess[],
  people: readonly User[],
): Promise<{ removed: string[]; not_removed: string[] }> {
  const ids = people.map(({ id }) => id);
  const removedIds = await Promise.all(accesses.map(({ channel }) => unsubscribe(channel, ids)));
  const channelNames = (predicate: (removedIds: number[]) => boolean) =>
    accesses.filter((_, index) => predicate(removedIds[index] ?? [])).map(({ channel }) => channel.name);
  return {
    removed: channelNames((removed) => removed.length > 0),
    not_removed: channelNames((removed) => removed.length < ids.length),
  };
}
