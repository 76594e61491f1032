import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { int, list, withDefault } from "../../shared/schema/params.ts";
import { changeMembership } from "../../shared/user-groups/change-membership.ts";
import { maxRequestedSubgroups } from "../../shared/user-groups/names.ts";

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
