import { int, text } from "../../shared/base/schema/params.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { checkAddress } from "../../shared/core/users/addresses.ts";
import { checkFullName, checkNameFree } from "../../shared/core/users/names.ts";
import { checkPasswordStrength } from "../../shared/core/users/password-strength.ts";
import { admitUser, checkAddressFree, checkMayCreateUsers } from "../../shared/features/users/admission.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users",
    summary: "Creates a member and subscribes them to the default channels.",
    note: "If `emails_restricted_to_domains` is off, `disallow_disposable_email_addresses` (on by default) applies to people who join, are invited, are created or change their address; it covers the subdomains of a listed domain. Welcome Bot sends every new user a message: the text of the invitation, otherwise `welcome_message_custom_text`, otherwise a greeting. That message causes no email and no push notification. With `send_welcome_emails` (on by default), the new user also gets an email.",
    caller: "admin",
    params: { email: text(), password: text(), full_name: text() },
    returns: { user_id: int() },
    needs: { realm },
    creates: "user",
    uses: { table: "readWrite", secret: true, sends: ["background-jobs", "mail"], mailFrom: true },
  },
  async ({ caller, params, realm }) => {
    await checkMayCreateUsers(caller, realm);
    const fullName = checkFullName(params.full_name);
    await checkNameFree(fullName, realm);
    const email = await checkAddress(params.email, realm);
    await checkAddressFree(email);
    await checkPasswordStrength(params.password, [email, fullName], "The password is too weak.");
    const { user } = await admitUser(
      {
        ...{ email, fullName, password: params.password, role: roles.member },
        ...{ channel_ids: [], with_defaults: true, group_ids: [] },
      },
      realm,
    );
    return { user_id: user.id };
  },
);
