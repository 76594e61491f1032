import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findUserIdByAddress, mayNameUser } from "../identity/named.ts";
import { isPresenceLimited } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import { findPresence } from "../store/users/presence.ts";
import { findUser } from "../store/users/users.ts";
import { findAccessibleIds, isAccessible } from "../users/accessible.ts";
import type { UserPresence } from "./wire.ts";

/** Which users' presence the caller sees. */
export interface PresenceView {
  /** IDs of the users whom the caller can access; undefined if these are all users. */
  accessibleIds: ReadonlySet<number> | undefined;
  /**
   * Whether the caller sees the presence of other users too, with a placeholder for their email address: true unless the server
   * limits presence.
   */
  showsInaccessible: boolean;
}

export const presenceView = async (caller: Caller, realm: Realm): Promise<PresenceView> => ({
  accessibleIds: await findAccessibleIds(caller, realm),
  showsInaccessible: !isPresenceLimited(),
});

/** Returns a user, by ID or email address, with their presence. Throws a 400 if there is none that the caller may see. */
export async function accessPresenceOf(caller: Caller, idOrEmail: string, realm: Realm): Promise<UserPresence> {
  const id = /^\d{1,15}$/.test(idOrEmail) ? Number(idOrEmail) : await findUserIdByAddress(idOrEmail);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user || (idOrEmail.includes("@") && !mayNameUser(caller, user, idOrEmail))) throw badRequest("No such user");
  const [presence, canAccess] = await Promise.all([findPresence(user.id), isAccessible(caller, user, realm)]);
  // The error must not reveal that the address has an account.
  if (!canAccess && idOrEmail.includes("@")) throw badRequest("No such user");
  if (user.botType !== undefined) throw badRequest("Presence is not supported for bot users.");
  const isShown = user.active && !realm.settings.presence_disabled && (canAccess || !isPresenceLimited());
  if (!presence || !isShown) throw badRequest(`No presence data for ${idOrEmail}`);
  return { user, presence };
}
