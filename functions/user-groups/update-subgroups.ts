import { int, list, withDefault } from "../../shared/base/schema/params.ts";
import { changeMembership } from "../../shared/core/user-groups/change-membership.ts";
import { maxRequestedSubgroups } from "../../shared/core/user-groups/names.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_groups/{user_group_id}/subgroups",
    summary: "Adds subgroups to a user group, removes subgroups from it, or both.",
    note: "Requires the permission to add or to remove others as members.",
    caller: "human",
    params: {
      user_group_id: int(),
      add: withDefault(list(int(), { max: maxRequestedSubgroups }), []),
      delete: withDefault(list(int(), { max: maxRequestedSubgroups }), []),
    },
    returns: {},
    needs: { realm },
    creates: "subgroup",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const change = { add: [], remove: [], addSubgroups: params.add, removeSubgroups: params.delete };
    await changeMembership(caller, params.user_group_id, change, realm);
  },
);
