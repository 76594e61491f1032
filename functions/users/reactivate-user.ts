import { int } from "../../shared/base/schema/params.ts";
import { accessUserToManage, checkMayManageIfOwner } from "../../shared/core/users/access-user.ts";
import { setActive } from "../../shared/features/users/activity.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/users/{user_id}/reactivate",
    summary: "Reactivates a user and their former subscriptions. For administrators.",
    caller: "user",
    params: { user_id: int() },
    returns: {},
    needs: { realm },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    creates: "presence",
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params, realm }) => {
    const user = await accessUserToManage(caller, params.user_id, { deactivated: true, bots: true });
    checkMayManageIfOwner(caller, user);
    return { change: user.active ? undefined : await setActive({ user, active: true, realm }) };
  },
);
