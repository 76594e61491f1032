import type { Caller } from "../identity/caller.ts";
import { findCachedProfiles } from "../identity/profiles.ts";
import type { Realm } from "../organization/access.ts";
import { listPresences, type Presence } from "../store/users/presence.ts";
import { listPresencesSince } from "../store/users/presence-cache.ts";
import { listUsers, type User } from "../store/users/users.ts";
import { presenceView } from "./access.ts";
import { historyDays, withOwnPresence } from "./rules.ts";
import { type PresencesObject, type Present, toPresencesWire } from "./wire.ts";

export interface PresenceRequest {
  /** Absent in the older protocol; -1 or 0: everything. */
  lastUpdateId?: number | undefined;
  historyLimitDays?: number | undefined;
  slim: boolean;
  /** Everybody's presence, if the request has read it already. */
  known?: readonly Presence[] | undefined;
  /** The caller's own presence, if it was just recorded. */
  noted?: Presence | undefined;
  /** All users, if the request has read them already. */
  users?: () => Promise<readonly User[]>;
}

export interface PresenceState {
  presences: PresencesObject;
  presence_last_update_id: number;
  server_timestamp: number;
}

/**
 * The presence of active users whom the caller may see. With an update ID, only changes since then: 1 read unit for
 * about 40 changes that this process has not cached, and 1 for each uncached user. Otherwise everyone active in the
 * last days, which reads all users.
 */
export async function presenceState(caller: Caller, realm: Realm, request: PresenceRequest): Promise<PresenceState> {
  const server_timestamp = Date.now() / 1000;
  const since = request.lastUpdateId ?? -1;
  if (realm.settings.presence_disabled) return { presences: {}, presence_last_update_id: -1, server_timestamp };
  const [present, { known, showsOthers }] = await Promise.all([
    since > 0
      ? changedSince(since, realm, request)
      : everyoneOf(request.historyLimitDays ?? historyDays, request.users ?? listUsers, request),
    presenceView(caller, realm),
  ]);
  const isKnown = ({ id }: User) => known?.has(id) ?? true;
  const shown = present.filter(({ user }) => isPerson(user) && (showsOthers || isKnown(user)));
  const newest = Math.max(since, ...present.map(({ presence }) => presence.updateId));
  return {
    presences: toPresencesWire(shown, request.slim || request.lastUpdateId !== undefined, isKnown),
    presence_last_update_id: newest,
    server_timestamp,
  };
}

const isPerson = (user: User) => user.active && user.botType === undefined;

type Read = Pick<PresenceRequest, "known" | "noted">;

async function changedSince(updateId: number, realm: Realm, { known, noted }: Read): Promise<Present[]> {
  const changed = withOwnPresence(
    known?.filter((presence) => presence.updateId > updateId) ?? (await listPresencesSince(updateId, realm)),
    noted,
  );
  return joined(
    changed,
    await findCachedProfiles(
      changed.map(({ userId }) => userId),
      realm.usersVersion,
    ),
  );
}

async function everyoneOf(
  days: number,
  listed: () => Promise<readonly User[]>,
  { known, noted }: Read,
): Promise<Present[]> {
  const [all, users] = await Promise.all([known ?? listPresences(), listed()]);
  const from = Date.now() / 1000 - days * 86_400;
  const recent = withOwnPresence(all, noted).filter(
    ({ lastActive = 0, lastConnected }) => Math.max(lastActive, lastConnected) >= from,
  );
  return joined(recent, new Map(users.map((user) => [user.id, user])));
}

const joined = (presences: readonly Presence[], users: ReadonlyMap<number, User>): Present[] =>
  presences.flatMap((presence) => {
    const user = users.get(presence.userId);
    return user ? [{ user, presence }] : [];
  });
