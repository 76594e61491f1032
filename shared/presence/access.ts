import { badRequest } from "../errors.ts";
import { hasPermission } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { presenceLimited } from "../settings.ts";
import { findAccount } from "../store/accounts.ts";
import { findMessages, readDirectMessageIds } from "../store/messages.ts";
import { findPresence } from "../store/presence.ts";
import { listSubscriberIds, listSubscriptions } from "../store/subscriptions.ts";
import { findUser } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";
import { idInPlaceholder } from "../users/visibility.ts";
import type { Present } from "./wire.ts";

/** Direct messages in which people count as known to someone who may not access everybody. */
const recentMessages = 100;

/**
 * Whose presence the caller may see: everyone's (undefined), or, where the server limits presence, for a caller outside
 * `can_access_all_users_group` that of those with whom they share a channel or a recent conversation.
 */
export async function accessiblePresence(caller: Caller, realm: Realm): Promise<ReadonlySet<number> | undefined> {
  if (!presenceLimited()) return undefined;
  if (await hasPermission(caller, realm.settings.can_access_all_users_group, realm.settings)) return undefined;
  const [subscriptions, ids] = await Promise.all([
    listSubscriptions(caller.id),
    readDirectMessageIds(caller.id, {
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      descending: true,
      limit: recentMessages,
    }),
  ]);
  const [messages, ...lists] = await Promise.all([
    findMessages(ids),
    ...subscriptions.filter(({ active }) => active).map(({ channelId }) => listSubscriberIds(channelId)),
  ]);
  return new Set([caller.id, ...lists.flat(), ...messages.flatMap((message) => message?.userIds ?? [])]);
}

/** The person behind an ID or an address, with their presence; else the error that says why not. */
export async function accessPresenceOf(caller: Caller, named: string, realm: Realm): Promise<Present> {
  const id = /^\d{1,15}$/.test(named) ? Number(named) : (idInPlaceholder(named) ?? (await findAccount(named))?.userId);
  const user = id === undefined ? undefined : await findUser(id);
  if (!user) throw badRequest("No such user");
  if (user.botType !== undefined) throw badRequest("Presence is not supported for bot users.");
  const [presence, accessible] = await Promise.all([findPresence(user.id), accessiblePresence(caller, realm)]);
  const isShown = user.active && !realm.settings.presence_disabled && (accessible?.has(user.id) ?? true);
  if (!presence || !isShown) throw badRequest(`No presence data for ${named}`);
  return { user, presence };
}
