import type { Caller } from "../identity/caller.ts";
import { visibleEmail } from "../identity/visibility.ts";
import type { Realm } from "../organization/access.ts";
import { commit } from "../store/log/log.ts";
import { findPresence, type Presence, putPresence, updateIdNow } from "../store/users/presence.ts";
import { findUser, listUsersUpTo, type User } from "../store/users/users.ts";
import {
  afterPing,
  isNewlyOnline,
  maxPeopleForEvents,
  offlineAfterSeconds,
  toModernPresence,
  toWebsitePresence,
} from "./rules.ts";

/**
 * Records a user's activity. Costs 1 write unit in small organizations, where `known` has everybody's presence, else 2; none
 * within 55 s of the last ping. In small organizations, sends an event if the user is newly online. Returns the new presence.
 */
export async function recordPresence(
  caller: Caller,
  active: boolean,
  realm: Realm,
  known: readonly Presence[] | undefined,
): Promise<Presence | undefined> {
  const now = Math.floor(Date.now() / 1000);
  const before = known ? known.find(({ userId }) => userId === caller.id) : await findPresence(caller.id);
  const times = afterPing(before, { active, now });
  if (!times) return undefined;
  const presence = { userId: caller.id, ...times, updateId: updateIdNow(realm) };
  await putPresence(presence, { readWhole: known !== undefined });
  if (isNewlyOnline(before, times)) {
    const [user, isSmall] = await Promise.all([findUser(caller.id), isSmallOrganization()]);
    if (user && isSmall) await sendPresenceEvent(user, times);
  }
  return presence;
}

async function isSmallOrganization(): Promise<boolean> {
  const users = await listUsersUpTo(2 * maxPeopleForEvents);
  const people = users.filter(({ active, botType }) => active && botType === undefined);
  return people.length <= maxPeopleForEvents && users.length < 2 * maxPeopleForEvents;
}

/** The log entry has the modern and the legacy form of the event; each client receives one of them. */
const sendPresenceEvent = (user: User, times: Parameters<typeof toModernPresence>[0]) =>
  commit({ events: 1 }, () => ({
    writes: [],
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
    result: undefined,
  }));

/** Makes a user appear offline when they stop sharing their presence. */
export async function hidePresence(userId: number, realm: Realm): Promise<void> {
  const before = await findPresence(userId);
  if (!before) return;
  const past = Math.floor(Date.now() / 1000) - offlineAfterSeconds - 1;
  const earlier = (time: number) => Math.min(time, past);
  await putPresence({
    userId,
    ...(before.lastActive !== undefined && { lastActive: earlier(before.lastActive) }),
    lastConnected: earlier(before.lastConnected),
    updateId: updateIdNow(realm),
  });
}
