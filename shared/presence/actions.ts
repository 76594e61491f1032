import type { Caller } from "../identity/caller.ts";
import { visibleEmail } from "../identity/visibility.ts";
import type { Realm } from "../organization/access.ts";
import { eventForEveryone } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { findPresence, type Presence, putPresence, updateIdNow } from "../store/users/presence.ts";
import { findUser, listUsersUpTo, type User } from "../store/users/users.ts";
import { nowSeconds } from "../time.ts";
import {
  isNewlyOnline,
  maxPeopleForEvents,
  offlineAfterSeconds,
  timesAfterPing,
  toModernPresence,
  toWebsitePresence,
} from "./rules.ts";

/** A user's new presence, to be recorded. */
interface Ping {
  presence: Presence;
  isNewlyOnline: boolean;
}

/**
 * The presence after a ping that holds for some seconds; undefined within 55 s of the last one. `allPresences` has everybody's
 * presence in a small organization.
 */
export async function planPing(
  caller: Caller,
  { isActive, holdsSeconds }: { isActive: boolean; holdsSeconds: number },
  realm: Realm,
  allPresences: readonly Presence[] | undefined,
): Promise<Ping | undefined> {
  const before = allPresences ? allPresences.find(({ userId }) => userId === caller.id) : await findPresence(caller.id);
  const now = nowSeconds();
  const times = timesAfterPing(before, { isActive, until: now + holdsSeconds });
  if (!times) return undefined;
  const presence = { userId: caller.id, ...times, updateId: updateIdNow(realm) };
  return { presence, isNewlyOnline: isNewlyOnline(before, times, now) };
}

/**
 * Records a ping: 1 write unit where each ping reads all presences (`readWhole`), else 2. In small organizations, also sends an
 * event if the user is newly online.
 */
export async function recordPing(ping: Ping, { readWhole }: { readWhole: boolean }): Promise<void> {
  const { presence } = ping;
  const [announced] = await Promise.all([
    ping.isNewlyOnline ? findAnnounced(presence.userId) : undefined,
    putPresence(presence, { readWhole }),
  ]);
  if (announced) await sendPresenceEvent(announced, presence);
}

/** A user whose presence is announced by an event; undefined in a large organization. */
async function findAnnounced(userId: number): Promise<User | undefined> {
  const [user, isSmall] = await Promise.all([findUser(userId), isSmallOrganization()]);
  return isSmall ? user : undefined;
}

/** Whether the organization is small enough for presence events. Reads only as many users as decide this. */
async function isSmallOrganization(): Promise<boolean> {
  const users = await listUsersUpTo(2 * maxPeopleForEvents);
  const people = users.filter(({ active, botType }) => active && botType === undefined);
  return people.length <= maxPeopleForEvents && users.length < 2 * maxPeopleForEvents;
}

/** The log entry has the modern and the legacy form of the event; each client receives one of them. */
const sendPresenceEvent = (user: User, times: Parameters<typeof toModernPresence>[0]) =>
  commit({
    events: [
      eventForEveryone({
        type: "presence",
        user_id: user.id,
        email: visibleEmail(user),
        server_timestamp: Date.now() / 1000,
        presence: { website: toWebsitePresence(times, user.joinedAt) },
        modern: toModernPresence(times, user.joinedAt),
      }),
    ],
  });

/** Makes a user appear offline when they stop sharing their presence. */
export async function hidePresence(userId: number, realm: Realm): Promise<void> {
  const before = await findPresence(userId);
  if (!before) return;
  const newestOfflineTime = nowSeconds() - offlineAfterSeconds - 1;
  const beforeOffline = (time: number) => Math.min(time, newestOfflineTime);
  await putPresence({
    userId,
    ...(before.lastActive !== undefined && { lastActive: beforeOffline(before.lastActive) }),
    lastConnected: beforeOffline(before.lastConnected),
    updateId: updateIdNow(realm),
  });
}
