import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessUserToMute, unmuteUser } from "../../shared/muted-users/actions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/muted_users/{muted_user_id}",
    summary: "Lets the caller hear of a muted user again.",
    caller: "user",
    params: { muted_user_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const id = await accessUserToMute(caller, params.muted_user_id);
    if (!(await unmuteUser(caller.id, id))) throw badRequest("User is not muted");
  },
);
