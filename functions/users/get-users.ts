import { bool, int, list, optional, withDefault } from "../../shared/base/schema/params.ts";
import { listProfileFields } from "../../shared/core/profile-fields/state.ts";
import { toProfileDataWire } from "../../shared/core/profile-fields/wire.ts";
import { listAccessibleUsers } from "../../shared/core/users/accessible-users.ts";
import { toSpectatorUserWire, toUserWire, userObject } from "../../shared/core/users/wire.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users",
    summary: "Lists the users whom the caller can access, including bots and deactivated users.",
    caller: "visitor",
    params: {
      client_gravatar: withDefault(bool(), true),
      include_custom_profile_fields: withDefault(bool(), false),
      user_ids: optional(list(int(), { max: 1000 })),
    },
    returns: { members: list(userObject) },
    errors: ["NONEXISTENT_SUBDOMAIN"],
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, params }) => {
    const users = await listAccessibleUsers(caller, params.user_ids);
    const fields = params.include_custom_profile_fields ? await listProfileFields() : undefined;
    const members = users.map((user) => ({
      ...(caller ? toUserWire(user, params.client_gravatar, caller) : toSpectatorUserWire(user)),
      ...(fields && toProfileDataWire(user, fields)),
    }));
    return { members };
  },
);
