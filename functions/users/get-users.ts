import { bool, int, list, optional, withDefault } from "../../shared/base/schema/params.ts";
import { listProfileFields } from "../../shared/core/profile-fields/state.ts";
import { toProfileDataWire } from "../../shared/core/profile-fields/wire.ts";
import { toSpectatorUserWire, toUserWire, userObject } from "../../shared/core/users/wire.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { findAccessibleIds } from "../../shared/services/identity/accessible.ts";
import { type Caller, isBot, isGuest } from "../../shared/services/identity/caller.ts";
import { checkSpectator, loadRealm } from "../../shared/services/organization/access.ts";
import { findUsers, listUsers } from "../../shared/store/users/users.ts";

/** IDs of accessible users, undefined for all; reads only for guests and spectators. */
async function findIdsAccessibleTo(caller: Caller | undefined): Promise<ReadonlySet<number> | undefined> {
  if (caller && !isGuest(caller)) return undefined;
  const realm = await loadRealm();
  if (caller) return findAccessibleIds(caller, realm);
  checkSpectator(realm);
  return undefined;
}

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
    const [users, accessibleIds] = await Promise.all([
      params.user_ids ? findUsers([...new Set(params.user_ids)]) : listUsers(),
      findIdsAccessibleTo(caller),
    ]);
    const fields = params.include_custom_profile_fields ? await listProfileFields() : undefined;
    const members = users.flatMap((user) =>
      user && (isBot(user) || (accessibleIds?.has(user.id) ?? true))
        ? [
            {
              ...(caller ? toUserWire(user, params.client_gravatar, caller) : toSpectatorUserWire(user)),
              ...(fields && toProfileDataWire(user, fields)),
            },
          ]
        : [],
    );
    return { members };
  },
);
