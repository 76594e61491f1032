import { int } from "../../shared/base/schema/params.ts";
import { accessUserToManage } from "../../shared/core/users/access-user.ts";
import { statusChange } from "../../shared/core/users/status-actions.ts";
import { checkStatus, statusParams } from "../../shared/core/users/status-params.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/users/{user_id}/status",
    summary: "Changes another user's status. For administrators.",
    caller: "user",
    params: { user_id: int(), ...statusParams },
    returns: {},
    creates: "status",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const user = await accessUserToManage(caller, params.user_id);
    return { change: await statusChange(user.id, await checkStatus(params)) };
  },
);
