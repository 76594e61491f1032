import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { int, list, withDefault } from "../../shared/schema/params.ts";
import { changeMembership } from "../../shared/user-groups/change-membership.ts";
import { maxRequestedSubgroups } from "../../shared/user-groups/names.ts";

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
