import { int, list, withDefault } from "../../shared/base/schema/params.ts";
import { changeMembership } from "../../shared/core/user-groups/change-membership.ts";
import { maxRequestedSubgroups } from "../../shared/core/user-groups/names.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_groups/{user_group_id}/members",
    summary: "Adds members and subgroups to a user group, removes them from it, or both.",
    caller: "human",
    params: {
      user_group_id: int(),
      add: withDefault(list(int()), []),
      delete: withDefault(list(int()), []),
      add_subgroups: withDefault(list(int(), { max: maxRequestedSubgroups }), []),
      delete_subgroups: withDefault(list(int(), { max: maxRequestedSubgroups }), []),
    },
    returns: {},
    needs: { realm },
    creates: ["groupMember", "subgroup"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    await changeMembership(
      caller,
      params.user_group_id,
      {
        add: params.add,
        remove: params.delete,
        addSubgroups: params.add_subgroups,
        removeSubgroups: params.delete_subgroups,
      },
      realm,
    );
  },
);
