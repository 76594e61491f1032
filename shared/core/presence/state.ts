import { secondsPerDay } from "../../base/time.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import type { Realm } from "../../services/organization/access.ts";
import { listPresences, type Presence } from "../../store/users/presence.ts";
import { listPresencesSince } from "../../store/users/presence-cache.ts";
import { listUsers, type User } from "../../store/users/users.ts";
import { presenceView } from "./access.ts";
import { historyDays, withOwnPresence } from "./rules.ts";
import { type PresencesObject, toPresencesWire, type UserPresence } from "./wire.ts";

export interface PresenceRequest {
  /**
   * The update ID up to which the client has all presences; -1 or 0 if it has none. Clients of the legacy protocol send no ID.
   */
  lastUpdateId?: number | undefined;
  historyLimitDays?: number | undefined;
  /** Whether the reply has the modern format: user IDs as keys, and only two timestamps for each user. */
  slim: boolean;
  /** Everybody's presence, if the request has read it already. */
  allPresences?: readonly Presence[] | undefined;
  /** The caller's own presence, if the request has just read or recorded it. It replaces the listed one, which may be older. */
  ownPresence?: Presence | undefined;
  /** Reads all users, if the request shares that read with others. */
  users?: () => Promise<readonly User[]>;
}

export interface PresenceState {
  presences: PresencesObject;
  presence_last_update_id: number;
  server_timestamp: number;
}

/**
 * The presence of the human users whom the caller may see. With an update ID, only changes since then: costs 1 read unit for
 * about 40 changes that this process has not cached, and 1 for each uncached user. Otherwise lists everyone who was active
 * within `historyLimitDays`, which reads all users.
 */
export async function presenceState(caller: Caller, realm: Realm, request: PresenceRequest): Promise<PresenceState> {
  const server_timestamp = Date.now() / 1000;
  const lastUpdateId = request.lastUpdateId ?? -1;
  if (realm.settings.presence_disabled) return { presences: {}, presence_last_update_id: -1, server_timestamp };
  const [userPresences, { accessibleIds, showsInaccessible }] = await Promise.all([
    lastUpdateId > 0
      ? changedSince(lastUpdateId, realm, request)
      : recentlyActive(request.historyLimitDays ?? historyDays, request.users ?? listUsers, request),
    presenceView(caller, realm),
  ]);
  const isAccessible = ({ id }: User) => accessibleIds?.has(id) ?? true;
  const visible = userPresences.filter(({ user }) => isActiveHuman(user) && (showsInaccessible || isAccessible(user)));
  const newestUpdateId = Math.max(lastUpdateId, ...userPresences.map(({ presence }) => presence.updateId));
  return {
    presences: toPresencesWire(visible, request.slim || request.lastUpdateId !== undefined, isAccessible),
    presence_last_update_id: newestUpdateId,
    server_timestamp,
  };
}

const isActiveHuman = (user: User) => user.active && user.botType === undefined;

type PresencesRead = Pick<PresenceRequest, "allPresences" | "ownPresence">;

async function changedSince(
  updateId: number,
  realm: Realm,
  { allPresences, ownPresence }: PresencesRead,
): Promise<UserPresence[]> {
  const changed = withOwnPresence(
    allPresences?.filter((presence) => presence.updateId > updateId) ?? (await listPresencesSince(updateId, realm)),
    ownPresence,
  );
  return withUsers(
    changed,
    await findCachedProfiles(
      changed.map(({ userId }) => userId),
      realm.usersVersion,
    ),
  );
}

async function recentlyActive(
  days: number,
  readUsers: () => Promise<readonly User[]>,
  { allPresences, ownPresence }: PresencesRead,
): Promise<UserPresence[]> {
  const [presences, users] = await Promise.all([allPresences ?? listPresences(), readUsers()]);
  const sinceSeconds = Date.now() / 1000 - days * secondsPerDay;
  const recent = withOwnPresence(presences, ownPresence).filter(
    ({ lastActive = 0, lastConnected }) => Math.max(lastActive, lastConnected) >= sinceSeconds,
  );
  return withUsers(recent, new Map(users.map((user) => [user.id, user])));
}

const withUsers = (presences: readonly Presence[], users: ReadonlyMap<number, User>): UserPresence[] =>
  presences.flatMap((presence) => {
    const user = users.get(presence.userId);
    return user ? [{ user, presence }] : [];
  });
