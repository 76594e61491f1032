import { endpoint } from "../../shared/http/endpoint.ts";
import { accessUserToMute, muteUser } from "../../shared/muted-users/muted-users.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/muted_users/{muted_user_id}",
    summary: "Mutes a user for the caller.",
    note: "Read marks do not change: clients hide what muted people write.",
    caller: "user",
    params: { muted_user_id: int() },
    returns: {},
    creates: "mutedUser",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const id = await accessUserToMute(caller, params.muted_user_id);
    await muteUser(caller.id, id);
  },
);
