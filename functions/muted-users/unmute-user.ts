import { endpoint } from "../../shared/http/endpoint.ts";
import { accessUserToUnmute, unmuteUser } from "../../shared/muted-users/mute.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/muted_users/{muted_user_id}",
    summary: "Unmutes a user for the caller.",
    caller: "user",
    params: { muted_user_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const id = await accessUserToUnmute(caller, params.muted_user_id);
    await unmuteUser(caller.id, id);
  },
);
