import { roles } from "../../base/schema/roles.ts";
import { emailVisibilities } from "../../base/schema/user-settings.ts";
import { placeholderEmail } from "../../services/identity/visibility.ts";
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
