import { listAccessByName } from "../channels/channel-access.ts";
import { type ChannelAccess, hasMetadataAccess, mayRemoveSubscribers } from "../channels/rules.ts";
import { ApiError, insufficientPermission } from "../errors.ts";
import { type Caller, isBot } from "../identity/caller.ts";
import type { Realm } from "../organization/access.ts";
import type { User } from "../store/users/users.ts";
import { unsubscribe } from "./subscribe.ts";

/** The named channels from which the caller may unsubscribe these users; an unknown channel is an error. */
export async function accessRemovals(
  caller: Caller,
  names: readonly string[],
  people: readonly User[],
  realm: Realm,
): Promise<ChannelAccess[]> {
  const wanted = [...new Map(names.map((name) => [name.trim().toLowerCase(), name.trim()])).values()];
  const accesses = await listAccessByName(caller, wanted, realm);
  const unknown = wanted.filter((_, index) => {
    const access = accesses[index];
    return !access || !hasMetadataAccess(access);
  });
  if (unknown.length > 0)
    throw new ApiError("STREAM_DOES_NOT_EXIST", `Channel(s) (${unknown.join(", ")}) do not exist`, {
      stream: unknown.join(", "),
    });
  const found = accesses.filter((access) => access !== undefined);
  // Users may unsubscribe their own bots from any channel.
  const others = people.filter(
    ({ id, ownerId, ...user }) => id !== caller.id && !(isBot(user) && ownerId === caller.id),
  );
  if (others.length > 0 && !found.every(mayRemoveSubscribers)) throw insufficientPermission();
  return found;
}

/** Unsubscribes users; returns the channels from which somebody was removed, and those to which somebody was not subscribed. */
export async function removeSubscriptions(
  accesses: readonly ChannelAccess[],
  people: readonly User[],
): Promise<{ removed: string[]; not_removed: string[] }> {
  const ids = people.map(({ id }) => id);
  const ended = await Promise.all(accesses.map(({ channel }) => unsubscribe(channel, ids)));
  const names = (which: (ended: number[]) => boolean) =>
    accesses.filter((_, index) => which(ended[index] ?? [])).map(({ channel }) => channel.name);
  return {
    removed: names((done) => done.length > 0),
    not_removed: names((done) => done.length < ids.length),
  };
}
