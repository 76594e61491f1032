import { mapInBatches } from "../../base/batches.ts";
import { everyone } from "../../base/schema/system-groups.ts";
import { findSubscriptionsOf, listSubscriberIds, listSubscriptions } from "../../store/channels/subscriptions.ts";
import { findConversation } from "../../store/messages/conversations.ts";
import { readDirectMessages } from "../../store/messages/messages.ts";
import type { User } from "../../store/users/users.ts";
import type { Realm } from "../organization/access.ts";
import { type Caller, isBot, isGuest } from "./caller.ts";

/**
 * Which users a user can access. Guests whom `can_access_all_users_group` excludes can access users with whom they share a
 * channel or one of their latest direct messages, and bots. See https://zulip.com/help/guest-users.
 */

type Person = Pick<Caller, "id" | "role">;

/** How many of a user's latest direct messages are searched for correspondents. */
const maxRecentMessages = 1000;
const maxConcurrentQueries = 25;

/** The setting can be role:everyone or role:members; only the latter excludes guests. */
export const mayAccessAll = (caller: Person, { settings }: Pick<Realm, "settings">): boolean =>
  !isGuest(caller) || settings.can_access_all_users_group === everyone;

/** A channel to ignore, or direct messages from an ID on, to find users who are accessible only because of them. */
interface Exclusion {
  channelId?: number | undefined;
  messagesFrom?: number | undefined;
}

/**
 * IDs of accessible users; undefined, without a read, for everyone. Otherwise costs one query per channel of the caller and
 * at most 17 read units for direct messages.
 */
export async function findAccessibleIds(
  caller: Person,
  realm: Pick<Realm, "settings">,
  { channelId, messagesFrom }: Exclusion = {},
): Promise<ReadonlySet<number> | undefined> {
  if (mayAccessAll(caller, realm)) return undefined;
  const [channelIds, correspondents] = await Promise.all([
    listChannelIds(caller),
    listCorrespondents(caller, messagesFrom),
  ]);
  const consideredChannelIds = channelIds.filter((id) => id !== channelId);
  const accessibleIds = new Set([caller.id, ...correspondents]);
  for (const ids of await mapInBatches(consideredChannelIds, maxConcurrentQueries, listSubscriberIds))
    for (const id of ids) accessibleIds.add(id);
  return accessibleIds;
}

/** Whether a user is accessible; costs 0.5 read units per channel of the caller, nothing if all users are. */
export const isAccessible = async (
  caller: Person,
  user: Pick<User, "id" | "botType">,
  realm: Pick<Realm, "settings">,
): Promise<boolean> => (await accessibleAmong(caller, [user], realm)).length > 0;

/** Those of the users who are accessible, at the cost of `isAccessible` for each. */
export async function accessibleAmong<U extends Pick<User, "id" | "botType">>(
  caller: Person,
  users: readonly U[],
  realm: Pick<Realm, "settings">,
): Promise<U[]> {
  const isAlwaysAccessible = (user: U) => user.id === caller.id || isBot(user);
  if (mayAccessAll(caller, realm) || users.every(isAlwaysAccessible)) return [...users];
  const channelIds = await listChannelIds(caller);
  let correspondents: Promise<ReadonlySet<number>> | undefined;
  const isKnown = async (user: U): Promise<boolean> => {
    if (isAlwaysAccessible(user)) return true;
    const conversation = await findConversation([caller.id, user.id]);
    if (conversation && !conversation.ended) return true;
    const sharedSubscriptions = await findSubscriptionsOf(user.id, channelIds);
    if (sharedSubscriptions.some((subscription) => subscription?.active)) return true;
    correspondents ??= listCorrespondents(caller);
    return (await correspondents).has(user.id);
  };
  const areKnown = await mapInBatches(users, maxConcurrentQueries, isKnown);
  return users.filter((_, index) => areKnown[index]);
}

const listChannelIds = async ({ id }: Person) =>
  (await listSubscriptions(id)).filter(({ active }) => active).map(({ channelId }) => channelId);

async function listCorrespondents({ id }: Person, before = Number.MAX_SAFE_INTEGER): Promise<Set<number>> {
  const query = { from: 0, to: before - 1, descending: true, limit: maxRecentMessages };
  return new Set((await readDirectMessages(id, query)).flatMap(({ userIds = [] }) => userIds));
}
