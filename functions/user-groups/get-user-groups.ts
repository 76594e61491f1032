import { storeLongReply } from "../../shared/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { bool, list, withDefault } from "../../shared/schema/params.ts";
import { userGroupsState } from "../../shared/user-groups/state.ts";
import { groupObject } from "../../shared/user-groups/wire.ts";

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
