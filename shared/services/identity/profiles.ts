import { ProcessCache } from "../../base/process-cache.ts";
import { findUsers, type User } from "../../store/users/users.ts";

/**
 * A cache of profiles, each with the organization's `usersVersion` when it was read. Every change to a profile increments that
 * version in the same transaction, so that an entry with the current version is valid. Nothing that decides about identity or
 * permissions is read from here.
 */
const profileCache = new ProcessCache<number, { version: number; user: User }>({
  // All users of a large organization, because replies about presence name everyone who has been active.
  minRetained: 20_000,
});

/** Users by ID, without unknown ones; 1 read unit for each user who is not cached. */
export async function findCachedProfiles(ids: Iterable<number>, usersVersion: number): Promise<Map<number, User>> {
  const wanted = [...new Set(ids)];
  const missing = wanted.filter((id) => profileCache.get(id)?.version !== usersVersion);
  const read = missing.length > 0 ? await findUsers(missing) : [];
  const profiles = new Map<number, User>();
  for (const user of read) {
    if (!user) continue;
    profiles.set(user.id, user);
    profileCache.set(user.id, { version: usersVersion, user });
  }
  for (const id of wanted) {
    const cached = profileCache.get(id);
    if (cached?.version === usersVersion) profiles.set(id, cached.user);
  }
  return profiles;
}
