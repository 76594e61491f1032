import { int } from "../../shared/base/schema/params.ts";
import { accessNamedUser } from "../../shared/core/users/access-user.ts";
import { statusObject, toStatusWire } from "../../shared/core/users/status.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { findUserStatus } from "../../shared/store/users/user-status.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/{user_id}/status",
    summary: "Returns a user's status.",
    caller: "user",
    params: { user_id: int() },
    returns: { status: statusObject },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const user = await accessNamedUser(caller, params.user_id);
    return { status: toStatusWire(await findUserStatus(user.id)) };
  },
);
