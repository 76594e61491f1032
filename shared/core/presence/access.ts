import { isPresenceLimited } from "../../base/environment.ts";
import { badRequest } from "../../base/errors.ts";
import { findAccessibleIds } from "../../services/identity/accessible.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findPresence } from "../../store/users/presence.ts";
import { accessNamedUser, idOrAddressIn } from "../users/access-user.ts";
import type { UserPresence } from "./wire.ts";

interface PresenceView {
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
  const user = await accessNamedUser(caller, idOrAddressIn(idOrEmail), { deactivated: true, bots: true });
  if (user.botType !== undefined) throw badRequest("Presence is not supported for bot users.");
  const presence = await findPresence(user.id);
  if (!presence || !user.active || realm.settings.presence_disabled)
    throw badRequest(`No presence data for ${idOrEmail}`);
  return { user, presence };
}
