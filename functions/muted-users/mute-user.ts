import { int } from "../../shared/base/schema/params.ts";
import { muteUser, userToMute } from "../../shared/features/muted-users/mute.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/users/me/muted_users/{muted_user_id}",
    summary: "Mutes a user for the caller.",
    note: "The user's existing messages are marked as read, and so is everything they write until they are unmuted. These messages stay read after that.",
    caller: "user",
    params: { muted_user_id: int() },
    returns: {},
    needs: { user: userToMute },
    creates: "mutedUser",
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, user }) => ({ change: await muteUser(caller.id, user) }),
);
