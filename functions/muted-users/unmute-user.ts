import { int } from "../../shared/base/schema/params.ts";
import { unmuteUser, userToUnmute } from "../../shared/features/muted-users/mute.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

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
