import { bool, list, withDefault } from "../../shared/base/schema/params.ts";
import { userGroupsState } from "../../shared/core/user-groups/state.ts";
import { groupObject } from "../../shared/core/user-groups/wire.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_groups",
    summary: "Lists the user groups with their members and permissions.",
    caller: "user",
    params: { include_deactivated_groups: withDefault(bool(), false) },
    returns: { user_groups: list(groupObject) },
    needs: { realm },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ params, realm }) => {
    const { settings } = realm;
    return {
      user_groups: await userGroupsState(settings.waiting_period_threshold, {
        includeDeactivated: params.include_deactivated_groups,
      }),
    };
  },
);
