import { int, jsonValue, list, object, oneOfInts, optional, string, text } from "../../shared/base/schema/params.ts";
import { roleNumbers } from "../../shared/base/schema/roles.ts";
import {
  accessUserToManage,
  checkMayGiveRole,
  checkMayManageIfOwner,
  checkNotErased,
  idOrAddressIn,
} from "../../shared/core/users/access-user.ts";
import { checkAddress } from "../../shared/core/users/addresses.ts";
import { checkFullName, checkNameFree } from "../../shared/core/users/names.ts";
import { changeProfileData } from "../../shared/features/profile-fields/actions.ts";
import { checkHasProfile, checkValues } from "../../shared/features/profile-fields/values.ts";
import { checkAddressFree } from "../../shared/features/users/admission.ts";
import { changeEmail, changeRole, findRemainingOwner, rename } from "../../shared/features/users/changes.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/users/{user_id}",
    summary:
      "Changes another user's name, role, email address or profile. For administrators; only owners can change owners.",
    caller: "user",
    params: {
      user_id: string({ max: 254 }),
      full_name: optional(text()),
      role: optional(oneOfInts(roleNumbers)),
      profile_data: optional(list(object({ id: int(), value: optional(jsonValue()) }))),
      new_email: optional(text()),
    },
    returns: {},
    needs: { realm },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    creates: ["mailedLink", "profileValue"],
    uses: { table: "readWrite", sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, realm }) => {
    const user = await accessUserToManage(caller, idOrAddressIn(params.user_id), { deactivated: true, bots: true });
    checkMayManageIfOwner(caller, user);
    checkNotErased(user);
    const { role, new_email, profile_data = [] } = params;
    const fullName = params.full_name === undefined ? user.fullName : checkFullName(params.full_name);
    if (fullName !== user.fullName) await checkNameFree(fullName, realm, user.id);
    if (role !== undefined && role !== user.role) {
      checkMayGiveRole(caller, role);
      findRemainingOwner(user, realm);
    }
    if (profile_data.length > 0) checkHasProfile(user);
    const values = await checkValues(caller, profile_data, realm);
    const email = new_email === undefined ? user.email : await checkAddress(new_email, realm);
    if (email.toLowerCase() !== user.email.toLowerCase()) await checkAddressFree(email);
    if (fullName !== user.fullName) await rename(user, fullName);
    if (role !== undefined) await changeRole(user, role, realm);
    if (email !== user.email) await changeEmail(user.id, email, realm);
    if (values.size > 0) await changeProfileData(user.id, values);
  },
);
