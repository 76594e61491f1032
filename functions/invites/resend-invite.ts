import { linkUrl } from "../../shared/base/environment.ts";
import { int } from "../../shared/base/schema/params.ts";
import { accessUser } from "../../shared/core/users/access-user.ts";
import { accessInvitation } from "../../shared/features/invites/access.ts";
import { resendInvitation } from "../../shared/features/invites/actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkMailEnabled } from "../../shared/services/mail/check.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/invites/{invite_id}/resend",
    summary: "Sends the email of an invitation again, with the same link.",
    caller: "human",
    params: { invite_id: int() },
    returns: {},
    needs: { realm },
    errors: ["INVITATION_FAILED", "UNAUTHORIZED_PRINCIPAL"],
    creates: "invitation",
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request, realm }) => {
    const invitation = await accessInvitation(caller, params.invite_id, "mail");
    checkMailEnabled("create an invitation link instead.");
    const inviter = await accessUser(invitation.invitedBy);
    await resendInvitation(invitation, inviter.fullName, realm, linkUrl(request.baseUrl));
  },
);
