import { findAccessibleIds } from "../../services/identity/accessible.ts";
import { type Caller, isBot, isGuest } from "../../services/identity/caller.ts";
import { checkSpectator, loadRealm } from "../../services/organization/access.ts";
import { findUsers, listUsers, type User } from "../../store/users/users.ts";

/** The users whom somebody can access, bots and deactivated ones included: all, or of the given IDs. */
export async function listAccessibleUsers(caller: Caller | undefined, ids?: readonly number[]): Promise<User[]> {
  const [users, accessibleIds] = await Promise.all([
    ids ? findUsers([...new Set(ids)]) : listUsers(),
    findIdsAccessibleTo(caller),
  ]);
  return users
    .filter((user) => user !== undefined)
    .filter((user) => isBot(user) || (accessibleIds?.has(user.id) ?? true));
}

/** IDs of accessible users, undefined for all; reads only for guests and spectators. */
async function findIdsAccessibleTo(caller: Caller | undefined): Promise<ReadonlySet<number> | undefined> {
  if (caller && !isGuest(caller)) return undefined;
  const realm = await loadRealm();
  if (caller) return findAccessibleIds(caller, realm);
  checkSpectator(realm);
  return undefined;
}
