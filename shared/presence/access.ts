import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findUserIdByAddress, mayNameUser } from "../identity/named.ts";
import { isPresenceLimited } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import { findPresence } from "../store/users/presence.ts";
import { findUser } from "../store/users/users.ts";
import { accessibleUsers, isAccessible } from "../users/accessible.ts";
import type { Present } from "./wire.ts";

/** The people whom the caller may know, and whether the presence of others is shown all the same. */
export interface PresenceView {
  /** Undefined: everybody. */
  known: ReadonlySet<number> | undefined;
  /** Where the server does not limit presence: under a placeholder for the address, since that is not for the caller to know. */
  showsOthers: boolean;
}

export const presenceView = async (caller: Caller, realm: Realm): Promise<PresenceView> => ({
  known: await accessibleUsers(caller, realm),
  showsOthers: !isPresenceLimited(),
});

/** The person behind an ID or an address, with their presence; else the error that says why not. */
export async function accessPresenceOf(caller: Caller, named: string, realm: Realm): Promise<Present> {
  const id = /^\d{1,15}$/.test(named) ? Number(named) : await findUserIdByAddress(named);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user || (named.includes("@") && !mayNameUser(caller, user, named))) throw badRequest("No such user");
  const [presence, isKnown] = await Promise.all([findPresence(user.id), isAccessible(caller, user, realm)]);
  // An address that leads to somebody unknown must not tell that it is anybody's.
  if (!isKnown && named.includes("@")) throw badRequest("No such user");
  if (user.botType !== undefined) throw badRequest("Presence is not supported for bot users.");
  const isShown = user.active && !realm.settings.presence_disabled && (isKnown || !isPresenceLimited());
  if (!presence || !isShown) throw badRequest(`No presence data for ${named}`);
  return { user, presence };
}
