import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { findUserIdByAddress, mayNameUser } from "../identity/named.ts";
import { isPresenceLimited } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import { findPresence } from "../store/users/presence.ts";
import { findUser } from "../store/users/users.ts";
import { accessibleUsers, isAccessible } from "../users/accessible.ts";
import type { Present } from "./wire.ts";

/** The users whose presence the caller sees. */
export interface PresenceView {
  /** IDs of the users whom the caller can access; undefined: all. */
  known: ReadonlySet<number> | undefined;
  /** Whether other users are included too, with a placeholder for their email address: true unless the server limits presence. */
  showsOthers: boolean;
}

export const presenceView = async (caller: Caller, realm: Realm): Promise<PresenceView> => ({
  known: await accessibleUsers(caller, realm),
  showsOthers: !isPresenceLimited(),
});

/** Returns a user, by ID or email address, with their presence. Throws if the caller may not see it. */
export async function accessPresenceOf(caller: Caller, named: string, realm: Realm): Promise<Present> {
  const id = /^\d{1,15}$/.test(named) ? Number(named) : await findUserIdByAddress(named);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user || (named.includes("@") && !mayNameUser(caller, user, named))) throw badRequest("No such user");
  const [presence, isKnown] = await Promise.all([findPresence(user.id), isAccessible(caller, user, realm)]);
  // Must not reveal that the address has an account.
  if (!isKnown && named.includes("@")) throw badRequest("No such user");
  if (user.botType !== undefined) throw badRequest("Presence is not supported for bot users.");
  const isShown = user.active && !realm.settings.presence_disabled && (isKnown || !isPresenceLimited());
  if (!presence || !isShown) throw badRequest(`No presence data for ${named}`);
  return { user, presence };
}
