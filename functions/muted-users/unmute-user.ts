import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { unmuteUser, userToUnmute } from "../../shared/muted-users/mute.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/users/me/muted_users/{muted_user_id}",
    summary: "Unmutes a user for the caller.",
    caller: "user",
    params: { muted_user_id: int() },
    returns: {},
    needs: { mutedId: userToUnmute },
    uses: { table: "readWrite" },
  },
  async ({ caller, mutedId }) => ({ change: await unmuteUser(caller.id, mutedId) }),
);
