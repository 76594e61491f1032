import { ProcessCache } from "../../base/process-cache.ts";
import type { LogEventOf } from "../../base/schema/event-types.ts";
import { nowSeconds } from "../../base/time.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { visibleEmail } from "../../services/identity/visibility.ts";
import type { Realm } from "../../services/organization/access.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { type ChangePart, commit, noChange } from "../../store/log/log.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { findPresence, type Presence, presenceWrites, putPresence, updateIdNow } from "../../store/users/presence.ts";
import { listUsersUpTo, type User } from "../../store/users/users.ts";
import {
  isListed,
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
export async function recordPing(
  { presence, isNewlyOnline }: Ping,
  user: Announced,
  realm: Realm,
  { readWhole }: { readWhole: boolean },
): Promise<void> {
  await Promise.all([putPresence(presence, { readWhole }), isNewlyOnline && announce(user, presence, realm)]);
}

/** What an event tells of a user who is newly online. */
type Announced = Pick<User, "id" | "email" | "emailVisibility" | "joinedAt">;

/** Sends an event in a small organization. */
async function announce(user: Announced, presence: Presence, realm: Realm): Promise<void> {
  if (await isSmallOrganization(realm)) await commit({ events: [announcement(user, presence)] });
}

/** Whether an organization is small, by its UUID and `usersVersion`, which every change of a profile increments. */
const knownSizes = new ProcessCache<string, boolean>({ minRetained: 2 });

/**
 * Whether the organization is small enough for presence events. Reads only as many users as decide this, and only if this process
 * has not read them since the last change of a profile.
 */
async function isSmallOrganization({ uuid, usersVersion }: Realm): Promise<boolean> {
  const version = `${uuid} ${usersVersion}`;
  const known = knownSizes.get(version);
  if (known !== undefined) return known;
  // Strongly consistent, because the answer is kept until the next change of a profile.
  const users = await withConsistentReads(() => listUsersUpTo(2 * maxPeopleForEvents));
  const people = users.filter(({ active, botType }) => active && botType === undefined);
  const isSmall = people.length <= maxPeopleForEvents && users.length < 2 * maxPeopleForEvents;
  knownSizes.set(version, isSmall);
  return isSmall;
}

/** The modern and the legacy form of the event; each client receives one of them. */
export const presenceEvent = (
  { id, joinedAt }: Pick<User, "id" | "joinedAt">,
  email: string,
  times: Parameters<typeof toModernPresence>[0],
): LogEventOf<"presence"> => ({
  type: "presence",
  user_id: id,
  email,
  server_timestamp: Date.now() / 1000,
  presence: { website: toWebsitePresence(times, joinedAt) },
  modern: toModernPresence(times, joinedAt),
});

const announcement = (user: Announced, times: Parameters<typeof toModernPresence>[0]) =>
  eventForEveryone(presenceEvent(user, visibleEmail(user), times));

/** Shows the presence of a user with their reactivation: nobody was shown it while they were deactivated. */
export async function restoredPresence(user: Announced, realm: Realm): Promise<ChangePart> {
  const [before, isSmall] = await Promise.all([findPresence(user.id), isSmallOrganization(realm)]);
  if (!before || !isListed(before, nowSeconds())) return noChange;
  const { lastActive, lastConnected } = before;
  const presence = {
    ...{ userId: user.id, lastConnected, updateId: updateIdNow(realm) },
    ...(lastActive !== undefined && { lastActive }),
  };
  return { writes: presenceWrites(presence), events: isSmall ? [announcement(user, presence)] : [] };
}

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
