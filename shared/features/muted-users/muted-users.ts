import type { Caller } from "../../services/identity/caller.ts";
import { listMutedUsers, type MutedUser } from "../../store/users/muted-users.ts";

export const toMutedUsersWire = (muted: readonly MutedUser[]) =>
  muted.map(({ mutedId, mutedAt }) => ({ id: mutedId, timestamp: mutedAt }));

/** The initial state of the users whom the caller has muted. */
export const mutedUsersState = async (caller: Caller) => ({
  muted_users: toMutedUsersWire(await listMutedUsers(caller.id)),
});
