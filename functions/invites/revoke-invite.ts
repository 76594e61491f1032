import { int } from "../../shared/base/schema/params.ts";
import { accessInvitation } from "../../shared/features/invites/access.ts";
import { revokeInvitation } from "../../shared/features/invites/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

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
