import { everyone } from "../groups/system.ts";
import type { Realm } from "../organization/access.ts";
import { placeholderDomain } from "../settings.ts";
import { findConversation } from "../store/conversations.ts";
import { readDirectMessages } from "../store/messages.ts";
import { findSubscriptionsOf, listSubscriberIds, listSubscriptions } from "../store/subscriptions.ts";
import type { User } from "../store/users.ts";
import { type Caller, isBot, isGuest } from "./caller.ts";
import { roles } from "./roles.ts";
import { emailVisibilities } from "./visibility.ts";
import { type UserObject, wireUser } from "./wire.ts";

/**
 * Whom someone may know of. Guests, where `can_access_all_users_group` leaves them out, know those with whom they share a
 * channel or one of their last direct messages, and bots.
 */
type Person = Pick<Caller, "id" | "role">;

/** That many direct messages are looked at. */
const recentMessages = 1000;
/** Queries under way at the same time. */
const listsAtOnce = 25;

/** The setting can be role:everyone or role:members: only the latter leaves anybody out. */
export const mayAccessAll = (caller: Person, { settings }: Pick<Realm, "settings">): boolean =>
  !isGuest(caller) || settings.can_access_all_users_group === everyone;

/** What does not count: a channel, a conversation; to see who is known because of that alone. */
interface Except {
  channelId?: number | undefined;
  conversation?: readonly number[] | undefined;
}

/**
 * The people whom someone may know of, undefined for everybody: no read then, else one query for each of their channels
 * and 17 read units at most for direct messages.
 */
export async function accessibleUsers(
  caller: Person,
  realm: Pick<Realm, "settings">,
  { channelId, conversation }: Except = {},
): Promise<ReadonlySet<number> | undefined> {
  if (mayAccessAll(caller, realm)) return undefined;
  const [channelIds, correspondents] = await Promise.all([
    channelsOf(caller),
    correspondentsOf(caller, conversation?.join()),
  ]);
  const counted = channelIds.filter((id) => id !== channelId);
  const known = new Set([caller.id, ...correspondents]);
  for (let start = 0; start < counted.length; start += listsAtOnce)
    for (const ids of await Promise.all(counted.slice(start, start + listsAtOnce).map(listSubscriberIds)))
      for (const id of ids) known.add(id);
  return known;
}

/** Whether someone may know of one user; about half a read unit for each of their channels, none where all are known. */
export async function isAccessible(
  caller: Person,
  user: Pick<User, "id" | "botType">,
  realm: Pick<Realm, "settings">,
): Promise<boolean> {
  if (user.id === caller.id || isBot(user) || mayAccessAll(caller, realm)) return true;
  const [channelIds, conversation] = await Promise.all([
    channelsOf(caller),
    findConversation([caller.id, user.id].sort((a, b) => a - b)),
  ]);
  if (conversation) return true;
  const shared = await findSubscriptionsOf(user.id, channelIds);
  return shared.some((subscription) => subscription?.active) || (await correspondentsOf(caller)).has(user.id);
}

const channelsOf = async ({ id }: Person) =>
  (await listSubscriptions(id)).filter(({ active }) => active).map(({ channelId }) => channelId);

async function correspondentsOf({ id }: Person, except?: string): Promise<Set<number>> {
  const query = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: recentMessages };
  const messages = await readDirectMessages(id, query);
  return new Set(messages.flatMap(({ userIds = [] }) => (userIds.join() === except ? [] : userIds)));
}

/** What clients that do not bear with gaps are given for somebody whom their user may not know. */
export const unknownUser = (id: number): UserObject =>
  wireUser({
    id,
    email: `user${id}@${placeholderDomain}`,
    fullName: unknownName,
    role: roles.member,
    active: true,
    joinedAt: 0,
    timezone: "",
    emailVisibility: emailVisibilities.nobody,
    avatarSource: "G",
    avatarVersion: 1,
  });

export const unknownName = "Unknown user";
