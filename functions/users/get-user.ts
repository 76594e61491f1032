import { bool, string, withDefault } from "../../shared/base/schema/params.ts";
import { listProfileFields } from "../../shared/core/profile-fields/state.ts";
import { toProfileDataWire } from "../../shared/core/profile-fields/wire.ts";
import { accessNamedUser, idOrAddressIn } from "../../shared/core/users/access-user.ts";
import { toUserWire, userObject } from "../../shared/core/users/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/{user_id}",
    summary: "Returns a user by ID or email address.",
    caller: "user",
    params: {
      user_id: string({ max: 254 }),
      client_gravatar: withDefault(bool(), true),
      include_custom_profile_fields: withDefault(bool(), false),
    },
    returns: { user: userObject },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const user = await accessNamedUser(caller, idOrAddressIn(params.user_id), { deactivated: true, bots: true });
    const fields = params.include_custom_profile_fields ? await listProfileFields() : undefined;
    return {
      user: {
        ...toUserWire(user, params.client_gravatar, caller),
        ...(fields && toProfileDataWire(user, fields)),
      },
    };
  },
);
