import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { presenceLimited } from "../settings.ts";
import { findPresence } from "../store/presence.ts";
import { findUser } from "../store/users.ts";
import { accessibleUsers } from "../users/accessible.ts";
import type { Caller } from "../users/caller.ts";
import { idOfAddress, mayBeNamed } from "../users/named.ts";
import type { Present } from "./wire.ts";

/** Whose presence the caller may see: everyone's (undefined), or, where the server limits it, of those whom they may know. */
export const accessiblePresence = async (caller: Caller, realm: Realm): Promise<ReadonlySet<number> | undefined> =>
  presenceLimited() ? accessibleUsers(caller, realm) : undefined;

/** The person behind an ID or an address, with their presence; else the error that says why not. */
export async function accessPresenceOf(caller: Caller, named: string, realm: Realm): Promise<Present> {
  const id = /^\d{1,15}$/.test(named) ? Number(named) : await idOfAddress(named);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user || (named.includes("@") && !mayBeNamed(caller, user, named))) throw badRequest("No such user");
  if (user.botType !== undefined) throw badRequest("Presence is not supported for bot users.");
  const [presence, accessible] = await Promise.all([findPresence(user.id), accessiblePresence(caller, realm)]);
  const isShown = user.active && !realm.settings.presence_disabled && (accessible?.has(user.id) ?? true);
  if (!presence || !isShown) throw badRequest(`No presence data for ${named}`);
  return { user, presence };
}
