import { creationLimits, tooMany } from "../creation-limits.ts";
import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { eventForUser } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { createMutedUser, deleteMutedUser, listMutedUsers, type MutedUser } from "../store/users/muted-users.ts";
import { nowSeconds } from "../time.ts";
import { accessNamedUser } from "../users/access-user.ts";

/** Returns the ID of a user whom the caller may mute. Throws a 400 if the ID is the caller's own or nobody's. */
export async function accessUserToMute(caller: Caller, id: number): Promise<number> {
  if (id === caller.id) throw badRequest("Cannot mute self");
  await accessNamedUser(caller, id, { deactivated: true, bots: true });
  return id;
}

/** Returns the ID of a user whom the caller may unmute; also of one who has become inaccessible since they were muted. */
export async function accessUserToUnmute(caller: Caller, id: number): Promise<number> {
  const isMuted = (await listMutedUsers(caller.id)).some(({ mutedId }) => mutedId === id);
  return isMuted ? id : accessUserToMute(caller, id);
}

/** Mutes a user; throws a 400 if they are muted already, or too many are: requests at once may exceed that by their number. */
export async function muteUser(userId: number, mutedId: number): Promise<void> {
  const muted = { userId, mutedId, mutedAt: nowSeconds() };
  const alreadyMuted = await listMutedUsers(userId);
  if (alreadyMuted.length >= creationLimits.mutedUser.max) throw badRequest(tooMany("mutedUser"));
  await commit({
    writes: [createMutedUser(muted)],
    events: [mutedUsersEvent(userId, [...alreadyMuted, muted])],
    orElse: () => badRequest("User already muted"),
  });
}

/** Unmutes a user; throws a 400 if they are not muted. */
export async function unmuteUser(userId: number, mutedId: number): Promise<void> {
  const remaining = (await listMutedUsers(userId)).filter((user) => user.mutedId !== mutedId);
  await commit({
    writes: [deleteMutedUser({ userId, mutedId })],
    events: [mutedUsersEvent(userId, remaining)],
    orElse: () => badRequest("User is not muted"),
  });
}

const mutedUsersEvent = (userId: number, mutedUsers: readonly MutedUser[]) =>
  eventForUser(userId, { type: "muted_users", muted_users: toMutedUsersWire(mutedUsers) });

const toMutedUsersWire = (muted: readonly MutedUser[]) =>
  muted.map(({ mutedId, mutedAt }) => ({ id: mutedId, timestamp: mutedAt }));

/** The initial state of the users whom the caller has muted. */
export const mutedUsersState = async (caller: Caller) => ({
  muted_users: toMutedUsersWire(await listMutedUsers(caller.id)),
});
