import { userGroupsState } from "../../shared/groups/state.ts";
import { groupObject } from "../../shared/groups/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, list, withDefault } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_groups",
    summary: "Lists the user groups with their members and permissions.",
    caller: "user",
    params: { include_deactivated_groups: withDefault(bool(), false) },
    returns: { user_groups: list(groupObject) },
    uses: { table: "read" },
  },
  async ({ params }) => {
    const { settings } = await accessRealm();
    return {
      user_groups: await userGroupsState(settings.waiting_period_threshold, {
        includeDeactivated: params.include_deactivated_groups,
      }),
    };
  },
);
