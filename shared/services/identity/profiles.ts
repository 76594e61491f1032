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
  const profiles = new Map<number, User>();
  const missing: number[] = [];
  for (const id of new Set(ids)) {
    const cached = profileCache.get(id);
    // Taken before anything is awaited: meanwhile, somebody with another version may replace the entry.
    if (cached?.version === usersVersion) profiles.set(id, cached.user);
    else missing.push(id);
  }
  for (const user of missing.length > 0 ? await findUsers(missing) : []) {
    if (!user) continue;
    profiles.set(user.id, user);
    profileCache.set(user.id, { version: usersVersion, user });
  }
  return profiles;
}
