import { linkUrl } from "../../shared/environment.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { accessInvitation } from "../../shared/invites/access.ts";
import { resendInvitation } from "../../shared/invites/actions.ts";
import { checkMailEnabled } from "../../shared/mail/check.ts";
import { realm } from "../../shared/organization/access.ts";
import { int } from "../../shared/schema/params.ts";
import { accessUser } from "../../shared/users/access-user.ts";

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
