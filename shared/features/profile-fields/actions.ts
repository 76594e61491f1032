import { badRequest } from "../../base/errors.ts";
import { toValueWire } from "../../core/profile-fields/wire.ts";
import { userUpdateEvent } from "../../core/users/user-events.ts";
import { type Change, commit } from "../../store/log/log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { findUsers, type ProfileValue, updateUser } from "../../store/users/users.ts";
import type { ProfileChange } from "./values.ts";

/**
 * Changes a user's values of custom profile fields, with one event for each changed field; undefined if all stay. Conflicts if others
 * have changed them since they were read.
 */
export async function profileDataChange(userId: number, requested: ProfileChange): Promise<Change | undefined> {
  const [user] = await findUsers([userId]);
  if (!user) throw badRequest("No such user");
  const { profileValues: before = {}, profileVersion } = user;
  const changes = [...requested].filter(([id, value]) => !isSame(before[id], value));
  if (changes.length === 0) return undefined;
  const after: Record<string, ProfileValue> = { ...before };
  for (const [id, value] of changes) {
    if (value) after[id] = value;
    else delete after[id];
  }
  const set = { profileValues: after, profileVersion: (profileVersion ?? 0) + 1 };
  return {
    writes: [updateUser(userId, { set }, { profileVersion } as { profileVersion: number }), bumpUsersVersion()],
    events: changes.map(([id, value]) => userUpdateEvent(userId, { custom_profile_field: eventValue(id, value) })),
  };
}

/** Changes a user's values, as one of several changes of a request. */
export const changeProfileData = (userId: number, requested: ProfileChange): Promise<void> =>
  retryOnConflict(async () => {
    const change = await profileDataChange(userId, requested);
    if (change) await commit(change);
  });

const isSame = (a: ProfileValue | undefined, b: ProfileValue | undefined) =>
  JSON.stringify([a?.value, a?.html]) === JSON.stringify([b?.value, b?.html]);

const eventValue = (id: number, value: ProfileValue | undefined) =>
  value ? { id, ...toValueWire(value) } : { id, value: null };
