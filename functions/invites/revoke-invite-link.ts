import { int } from "../../shared/base/schema/params.ts";
import { accessInvitation } from "../../shared/features/invites/access.ts";
import { revokeInvitation } from "../../shared/features/invites/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/invites/multiuse/{invite_id}",
    summary: "Revokes an invitation link that any number of people can use.",
    caller: "human",
    params: { invite_id: int() },
    returns: {},
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => ({
    change: revokeInvitation(await accessInvitation(caller, params.invite_id, "link")),
  }),
);
