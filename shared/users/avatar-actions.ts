import { badRequest } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { retirePicture, type StoredPicture } from "../pictures/actions.ts";
import { commit } from "../store/log.ts";
import { touchProfiles } from "../store/organization.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { findUsers, type User, updateUser } from "../store/users.ts";
import { type Caller, isAdministrator } from "./caller.ts";
import { avatarUpdate } from "./tell.ts";

/** Refuses where the organization lets nobody but administrators change their pictures. */
export function checkMayChangeAvatar(caller: Pick<Caller, "role">, { settings }: Pick<Realm, "settings">): void {
  if (settings.avatar_changes_disabled && !isAdministrator(caller))
    throw badRequest("Avatar changes are disabled in this organization.");
}

/** Gives a user a picture, or without one their gravatar back; returns the user as they then are. 15 write units. */
export async function changeAvatar(userId: number, picture: StoredPicture | undefined): Promise<User> {
  for (let attempt = 1; ; attempt++) {
    const [before] = await findUsers([userId]);
    if (!before) throw badRequest("No such user");
    const { avatarFile: former, ...rest } = before;
    const avatarVersion = before.avatarVersion + 1;
    const after: User = picture
      ? { ...rest, avatarVersion, avatarSource: "U", avatarFile: picture.name }
      : { ...rest, avatarVersion, avatarSource: "G" };
    const set = { avatarVersion, avatarSource: after.avatarSource };
    const change = picture ? { set: { ...set, avatarFile: picture.name } } : { set, remove: ["avatarFile"] };
    try {
      await commit({ events: 1 }, () => ({
        writes: [
          updateUser(userId, change, { avatarVersion: before.avatarVersion }),
          touchProfiles(),
          ...retirePicture(former),
          ...(picture?.taken ?? []),
        ],
        events: [avatarUpdate(after)],
        result: undefined,
      }));
      await picture?.scale();
      return after;
    } catch (error) {
      if (!(error instanceof ConditionFailed && error.failed.includes(0)) || attempt === 5) throw error;
    }
  }
}
