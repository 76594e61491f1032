import { ProcessCache } from "../process-cache.ts";
import { findUsers, type User } from "../store/users/users.ts";

/**
 * Profiles that this process has read, with the organization's `usersVersion` at that time. Each change of a profile
 * raises that number in its own transaction, so that what was read under the present one is still true: nothing that
 * decides about identity or permission is taken from here.
 */
const kept = new ProcessCache<number, { version: number; user: User }>({
  // All of a large organization: a reply to a presence ping names everybody who has pinged.
  max: 20_000,
});

/** The named users by ID; 1 read unit for each that this process does not know yet. Unknown IDs are left out. */
export async function profilesOf(ids: Iterable<number>, usersVersion: number): Promise<Map<number, User>> {
  const wanted = [...new Set(ids)];
  const missing = wanted.filter((id) => kept.get(id)?.version !== usersVersion);
  const read = missing.length > 0 ? await findUsers(missing) : [];
  const profiles = new Map<number, User>();
  for (const user of read) {
    if (!user) continue;
    profiles.set(user.id, user);
    kept.set(user.id, { version: usersVersion, user });
  }
  for (const id of wanted) {
    const known = kept.get(id);
    if (known?.version === usersVersion) profiles.set(id, known.user);
  }
  return profiles;
}
