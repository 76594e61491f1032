import { listMutedUsers, type MutedUser } from "../store/muted-users.ts";
import type { Caller } from "../users/caller.ts";

export const wireMutedUsers = (muted: readonly MutedUser[]) =>
  muted.map(({ mutedId, mutedAt }) => ({ id: mutedId, timestamp: mutedAt }));

/** What a client that registers is told of those whom the caller has muted. */
export const mutedUsersState = async (caller: Caller) => ({
  muted_users: wireMutedUsers(await listMutedUsers(caller.id)),
});
