import { int } from "../../shared/base/schema/params.ts";
import { accessUserToManage, checkMayManageIfOwner } from "../../shared/core/users/access-user.ts";
import { resetSecondFactor } from "../../shared/features/users/second-factors.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkIsNoAppPassword } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/{user_id}/second_factor",
    summary:
      "Removes the second factor of a user who has lost it. For administrators; only owners can do so for owners.",
    note: "The user is notified by email. Nobody can remove their own in this way, which would need neither password nor code.",
    caller: "admin",
    params: { user_id: int() },
    returns: {},
    needs: { realm },
    uses: { table: "readWrite", sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, realm }) => {
    await checkIsNoAppPassword(caller);
    const user = await accessUserToManage(caller, params.user_id);
    checkMayManageIfOwner(caller, user);
    await resetSecondFactor(caller, user, realm);
  },
);
