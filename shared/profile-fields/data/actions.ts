import { badRequest } from "../../errors.ts";
import { commit } from "../../store/log/log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { findUsers, type ProfileValue, updateUser } from "../../store/users/users.ts";
import { userUpdateEvent } from "../../users/user-events.ts";
import { toValueWire } from "../wire.ts";
import type { ProfileChange } from "./values.ts";

/** Changes a user's values of custom profile fields, with one event for each changed field. */
export const changeProfileData = (userId: number, change: ProfileChange): Promise<void> =>
  retryOnConflict(async () => {
    const [user] = await findUsers([userId]);
    if (!user) throw badRequest("No such user");
    const { profileValues: before = {}, profileVersion } = user;
    const changes = [...change].filter(([id, value]) => !isSame(before[id], value));
    if (changes.length === 0) return;
    const after: Record<string, ProfileValue> = { ...before };
    for (const [id, value] of changes) {
      if (value) after[id] = value;
      else delete after[id];
    }
    const set = { profileValues: after, profileVersion: (profileVersion ?? 0) + 1 };
    return commit({
      writes: [updateUser(userId, { set }, { profileVersion } as { profileVersion: number }), bumpUsersVersion()],
      events: changes.map(([id, value]) => userUpdateEvent(userId, { custom_profile_field: eventValue(id, value) })),
    });
  });

const isSame = (a: ProfileValue | undefined, b: ProfileValue | undefined) =>
  JSON.stringify([a?.value, a?.html]) === JSON.stringify([b?.value, b?.html]);

const eventValue = (id: number, value: ProfileValue | undefined) =>
  value ? { id, ...toValueWire(value) } : { id, value: null };
