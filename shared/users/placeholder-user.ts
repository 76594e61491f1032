import { placeholderEmail } from "../identity/visibility.ts";
import { roles } from "../schema/roles.ts";
import { emailVisibilities } from "../schema/user-settings.ts";
import { toUserWire, type UserObject } from "./wire.ts";

/** The placeholder of an inaccessible user, for clients without the `user_list_incomplete` capability. */
export const placeholderUser = (id: number): UserObject => ({
  ...toUserWire({
    id,
    email: placeholderEmail(id),
    fullName: unknownName,
    role: roles.member,
    active: true,
    joinedAt: 0,
    timezone: "",
    emailVisibility: emailVisibilities.nobody,
    avatarSource: "G",
    avatarVersion: 1,
  }),
  profile_data: {},
});

export const unknownName = "Unknown user";
