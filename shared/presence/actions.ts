import type { Caller } from "../identity/caller.ts";
import { visibleEmail } from "../identity/visibility.ts";
import type { Realm } from "../organization/access.ts";
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

/**
 * Records a presence ping, and returns the new presence; undefined within 55 s of the last ping, which writes nothing. Costs 1
 * write unit in small organizations, where `allPresences` has everybody's presence, else 2. In small organizations, also sends
 * an event if the user is newly online.
 */
export async function recordPresence(
  caller: Caller,
  isActive: boolean,
  realm: Realm,
  allPresences: readonly Presence[] | undefined,
): Promise<Presence | undefined> {
  const now = nowSeconds();
  const before = allPresences ? allPresences.find(({ userId }) => userId === caller.id) : await findPresence(caller.id);
  const times = timesAfterPing(before, { isActive, now });
  if (!times) return undefined;
  const presence = { userId: caller.id, ...times, updateId: updateIdNow(realm) };
  await putPresence(presence, { readWhole: allPresences !== undefined });
  if (isNewlyOnline(before, times)) {
    const [user, isSmall] = await Promise.all([findUser(caller.id), isSmallOrganization()]);
    if (user && isSmall) await sendPresenceEvent(user, times);
  }
  return presence;
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
      {
        audience: { kind: "everyone" },
        event: {
          type: "presence",
          user_id: user.id,
          email: visibleEmail(user),
          server_timestamp: Date.now() / 1000,
          presence: { website: toWebsitePresence(times, user.joinedAt) },
          modern: toModernPresence(times, user.joinedAt),
        },
      },
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
