import type { Realm } from "../../services/organization/access.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { listBots } from "../../store/users/bots.ts";
import { findUsers, type User } from "../../store/users/users.ts";
import { setActive } from "./activity.ts";

/**
 * Deactivates a user and their bots, and sends `mail` if given. Bots come first, so that repeating the request completes it.
 */
export async function deactivatePerson(
  user: User,
  realm: Realm,
  remainingOwnerId: number | undefined,
  mail?: FollowUp,
): Promise<void> {
  const ownBots = (await listBots()).filter(({ ownerId }) => ownerId === user.id);
  for (const bot of await findUsers(ownBots.map(({ id }) => id)))
    if (bot?.active) await setActive({ user: bot, active: false, realm });
  await setActive({ user, active: false, realm, remainingOwnerId, ...(mail && { followUps: [mail] }) });
}
