import { endpoint } from "../../shared/http/endpoint.ts";
import { accessUserToMute, muteUser } from "../../shared/muted-users/mute.ts";
import { int } from "../../shared/schema/params.ts";
import { retryOnConflict } from "../../shared/store/table/conflicts.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/muted_users/{muted_user_id}",
    summary: "Mutes a user for the caller.",
    note: "What they have written is marked as read, and so is what they write until they are unmuted. It stays read after that.",
    caller: "user",
    params: { muted_user_id: int() },
    returns: {},
    creates: "mutedUser",
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params }) => {
    // Read again if the user's address changes meanwhile.
    await retryOnConflict(async () => muteUser(caller.id, await accessUserToMute(caller, params.muted_user_id)));
  },
);
