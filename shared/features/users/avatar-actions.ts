import { badRequest } from "../../base/errors.ts";
import { avatarUpdateEvent } from "../../core/users/user-events.ts";
import { type Caller, isAdministrator } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type StoredPicture, scheduleRemoval } from "../../services/pictures/actions.ts";
import { type Change, commit } from "../../store/log/log.ts";
import { bumpUsersVersion } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { findUsers, type User, updateUser } from "../../store/users/users.ts";

/** Refuses if the organization lets only administrators change avatars. */
export function checkMayChangeAvatar(caller: Pick<Caller, "role">, { settings }: Pick<Realm, "settings">): void {
  if (settings.avatar_changes_disabled && !isAdministrator(caller))
    throw badRequest("Avatar changes are disabled in this organization.");
}

/** Sets a user's avatar, which has been stored, and returns the changed user. Costs 15 write units. */
export const setAvatar = (userId: number, picture: StoredPicture): Promise<User> =>
  retryOnConflict(async () => {
    const { change, user } = await avatarChange(userId, picture);
    await commit(change);
    return user;
  });

/** The change that sets a user's avatar, or without a picture resets it to the gravatar, and the changed user. */
export async function avatarChange(userId: number, picture?: StoredPicture): Promise<{ change: Change; user: User }> {
  const [before] = await findUsers([userId]);
  if (!before) throw badRequest("No such user");
  const { avatarFile: formerFile, ...rest } = before;
  const avatarVersion = before.avatarVersion + 1;
  const user: User = picture
    ? { ...rest, avatarVersion, avatarSource: "U", avatarFile: picture.name }
    : { ...rest, avatarVersion, avatarSource: "G" };
  const set = { avatarVersion, avatarSource: user.avatarSource };
  const update = picture ? { set: { ...set, avatarFile: picture.name } } : { set, remove: ["avatarFile"] };
  const change = {
    writes: [
      updateUser(userId, update, { avatarVersion: before.avatarVersion }),
      bumpUsersVersion(),
      ...scheduleRemoval(formerFile),
      ...(picture?.claim.writes ?? []),
    ],
    events: [avatarUpdateEvent(user)],
    followUps: picture?.claim.followUps ?? [],
  };
  return { change, user };
}
