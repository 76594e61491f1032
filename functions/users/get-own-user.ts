import { int } from "../../shared/base/schema/params.ts";
import { listProfileFields } from "../../shared/core/profile-fields/state.ts";
import { toProfileDataWire } from "../../shared/core/profile-fields/wire.ts";
import { accessUser } from "../../shared/core/users/access-user.ts";
import { toUserWire, userFields } from "../../shared/core/users/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { readHead } from "../../shared/store/log/log.ts";

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
