import { badRequest } from "../../shared/errors.ts";
import { hasPermission } from "../../shared/groups/access.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { checkAddress } from "../../shared/users/addresses.ts";
import { admitUser, checkAddressFree } from "../../shared/users/admission.ts";
import { checkFullName, checkNameFree } from "../../shared/users/names.ts";
import { checkStrength } from "../../shared/users/strength.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users",
    summary: "Creates a member and subscribes them to the default channels.",
    caller: "admin",
    params: { email: text(), password: text(), full_name: text() },
    returns: { user_id: int() },
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    if (!(await hasPermission(caller, realm.settings.can_create_users_group, realm.settings)))
      throw badRequest("User not authorized to create users");
    const fullName = checkFullName(params.full_name);
    await checkNameFree(fullName, realm);
    const email = checkAddress(params.email, realm);
    await checkAddressFree(email);
    await checkStrength(params.password, [email, fullName], "The password is too weak.");
    return { user_id: await admitUser({ email, fullName, password: params.password }) };
  },
);
