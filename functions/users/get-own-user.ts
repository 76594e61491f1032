import { endpoint } from "../../shared/http/endpoint.ts";
import { listProfileFields } from "../../shared/profile-fields/state.ts";
import { toProfileDataWire } from "../../shared/profile-fields/wire.ts";
import { int } from "../../shared/schema/params.ts";
import { readHead } from "../../shared/store/log/log.ts";
import { accessUser } from "../../shared/users/access-user.ts";
import { toUserWire, userFields } from "../../shared/users/wire.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/me",
    summary: "Returns the caller's own user.",
    caller: "user",
    params: {},
    returns: { ...userFields, max_message_id: int() },
    uses: { table: "read" },
  },
  async ({ caller }) => {
    const [user, fields, { message }] = await Promise.all([
      accessUser(caller.id, { bots: true }),
      listProfileFields(),
      readHead(),
    ]);
    return { ...toUserWire(user, false, caller), ...toProfileDataWire(user, fields), max_message_id: message };
  },
);
