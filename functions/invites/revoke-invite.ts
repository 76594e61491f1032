import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { accessInvitation } from "../../shared/invites/access.ts";
import { revokeInvitation } from "../../shared/invites/actions.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/invites/{invite_id}",
    summary: "Revokes an invitation that was sent by email.",
    caller: "human",
    params: { invite_id: int() },
    returns: {},
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => ({
    change: revokeInvitation(await accessInvitation(caller, params.invite_id, "mail")),
  }),
);
