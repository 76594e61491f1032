import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { accessUserToManage, checkMayManageOwner } from "../../shared/users/access-user.ts";
import { setActive } from "../../shared/users/activity.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/{user_id}/reactivate",
    summary: "Reactivates a user, who then is again in the channels that they were in; for administrators.",
    caller: "user",
    params: { user_id: int() },
    returns: {},
    uses: { table: "readWrite", sends: ["chores"] },
  },
  async ({ caller, params }) => {
    const user = await accessUserToManage(caller, params.user_id, { deactivated: true, bots: true });
    checkMayManageOwner(caller, user);
    if (!user.active) await setActive({ user, active: true, realm: await accessRealm() });
  },
);
