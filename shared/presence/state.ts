import type { Realm } from "../organization/access.ts";
import { listPresences, listPresencesSince, type Presence } from "../store/presence.ts";
import { listUsers, type User } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";
import { profilesOf } from "../users/profiles.ts";
import { accessiblePresence } from "./access.ts";
import { historyDays } from "./rules.ts";
import { type PresencesObject, type Present, wirePresences } from "./wire.ts";

export interface PresenceRequest {
  /** Absent in the older protocol; -1 or 0: everything. */
  lastUpdateId?: number | undefined;
  historyLimitDays?: number | undefined;
  slim: boolean;
  /** Everybody's presence, where somebody has read it already. */
  known?: readonly Presence[] | undefined;
  /** All users, where somebody has read them already. */
  users?: () => Promise<readonly User[]>;
}

export interface PresenceState {
  presences: PresencesObject;
  presence_last_update_id: number;
  server_timestamp: number;
}

/** What updates in an organization are numbered by. */
export const updateIdNow = ({ createdAt }: Realm) => Date.now() - createdAt * 1000;

/**
 * Who is there: active people, of those whom the caller may see. With an update ID, what changed since: a read unit for
 * about 40 changes, and one for each person whom this process does not know; else everyone of the last days, which reads
 * all users.
 */
export async function presenceState(caller: Caller, realm: Realm, request: PresenceRequest): Promise<PresenceState> {
  const server_timestamp = Date.now() / 1000;
  const since = request.lastUpdateId ?? -1;
  if (realm.settings.presence_disabled) return { presences: {}, presence_last_update_id: -1, server_timestamp };
  const [present, accessible] = await Promise.all([
    since > 0
      ? changedSince(since, realm, request.known)
      : everyoneOf(request.historyLimitDays ?? historyDays, request.users ?? listUsers, request.known),
    accessiblePresence(caller, realm),
  ]);
  const shown = present.filter(({ user }) => isPerson(user) && (accessible?.has(user.id) ?? true));
  const newest = Math.max(since, ...present.map(({ presence }) => presence.updateId));
  return {
    presences: wirePresences(shown, request.slim || request.lastUpdateId !== undefined),
    presence_last_update_id: newest,
    server_timestamp,
  };
}

const isPerson = (user: User) => user.active && user.botType === undefined;

async function changedSince(
  updateId: number,
  realm: Realm,
  known: readonly Presence[] | undefined,
): Promise<Present[]> {
  const changed =
    known?.filter((presence) => presence.updateId > updateId) ??
    (await listPresencesSince(updateId, updateIdNow(realm)));
  return joined(
    changed,
    await profilesOf(
      changed.map(({ userId }) => userId),
      realm.usersVersion,
    ),
  );
}

async function everyoneOf(
  days: number,
  listed: () => Promise<readonly User[]>,
  known: readonly Presence[] | undefined,
): Promise<Present[]> {
  const [all, users] = await Promise.all([known ?? listPresences(), listed()]);
  const from = Date.now() / 1000 - days * 86_400;
  const recent = all.filter(({ lastActive = 0, lastConnected }) => Math.max(lastActive, lastConnected) >= from);
  return joined(recent, new Map(users.map((user) => [user.id, user])));
}

const joined = (presences: readonly Presence[], users: ReadonlyMap<number, User>): Present[] =>
  presences.flatMap((presence) => {
    const user = users.get(presence.userId);
    return user ? [{ user, presence }] : [];
  });
