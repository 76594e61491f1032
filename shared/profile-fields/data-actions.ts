import { badRequest } from "../errors.ts";
import { commit } from "../store/log.ts";
import { touchProfiles } from "../store/organization.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { findUsers, type ProfileValue, updateUser } from "../store/users.ts";
import { userUpdate } from "../users/tell.ts";
import type { ProfileChange } from "./values.ts";
import { wireValue } from "./wire.ts";

/** Changes what a user has in custom profile fields, with one event for each field that changes. */
export async function changeProfileData(userId: number, change: ProfileChange): Promise<void> {
  for (let attempt = 1; ; attempt++) {
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
    try {
      return await commit({ events: changes.length }, () => ({
        writes: [updateUser(userId, { set }, { profileVersion } as { profileVersion: number }), touchProfiles()],
        events: changes.map(([id, value]) => userUpdate(userId, { custom_profile_field: eventValue(id, value) })),
        result: undefined,
      }));
    } catch (error) {
      if (!(error instanceof ConditionFailed && error.failed.includes(0)) || attempt === 10) throw error;
    }
  }
}

const isSame = (a: ProfileValue | undefined, b: ProfileValue | undefined) =>
  JSON.stringify([a?.value, a?.html]) === JSON.stringify([b?.value, b?.html]);

/** Events carry users' IDs as JSON text, as the reference has it. */
const eventValue = (id: number, value: ProfileValue | undefined) =>
  value
    ? { id, ...wireValue(value), value: Array.isArray(value.value) ? JSON.stringify(value.value) : value.value }
    : { id, value: null };
