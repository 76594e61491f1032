import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, list, optional, withDefault } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { listFields } from "../../shared/profile-fields/state.ts";
import { wireProfileData } from "../../shared/profile-fields/wire.ts";
import { findUsers, listUsers } from "../../shared/store/users.ts";
import { accessibleUsers } from "../../shared/users/accessible.ts";
import { isBot, isGuest } from "../../shared/users/caller.ts";
import { userObject, wireUser } from "../../shared/users/wire.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users",
    summary: "Lists the users whom the caller may know of, bots and deactivated ones among them.",
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
    const [users, accessible] = await Promise.all([
      params.user_ids ? findUsers([...new Set(params.user_ids)]) : listUsers(),
      isGuest(caller) ? accessRealm().then((realm) => accessibleUsers(caller, realm)) : undefined,
    ]);
    const fields = params.include_custom_profile_fields ? await listFields() : undefined;
    const members = users.flatMap((user) =>
      user && (isBot(user) || (accessible?.has(user.id) ?? true))
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
