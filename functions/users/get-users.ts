import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, list, optional, withDefault } from "../../shared/http/params.ts";
import { listFields } from "../../shared/profile-fields/state.ts";
import { wireProfileData } from "../../shared/profile-fields/wire.ts";
import { findUsers, listUsers } from "../../shared/store/users.ts";
import { userObject, wireUser } from "../../shared/users/wire.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users",
    summary: "Lists all users, bots and deactivated ones among them.",
    caller: "user",
    params: {
      client_gravatar: withDefault(bool(), true),
      include_custom_profile_fields: withDefault(bool(), false),
      user_ids: optional(list(int(), { max: 1000 })),
    },
    returns: { members: list(userObject) },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const users = params.user_ids ? await findUsers([...new Set(params.user_ids)]) : await listUsers();
    const fields = params.include_custom_profile_fields ? await listFields() : undefined;
    const members = users.flatMap((user) =>
      user
        ? [
            {
              ...wireUser(user, params.client_gravatar, caller),
              ...(fields && wireProfileData(user, fields)),
            },
          ]
        : [],
    );
    return { members };
  },
);
