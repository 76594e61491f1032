import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessUserToMute, muteUser } from "../../shared/muted-users/actions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/muted_users/{muted_user_id}",
    summary: "Mutes a user for the caller.",
    caller: "user",
    params: { muted_user_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const id = await accessUserToMute(caller, params.muted_user_id);
    if (!(await muteUser(caller.id, id))) throw badRequest("User already muted");
  },
);
