import { endpoint } from "../../shared/http/endpoint.ts";
import { checkSameOrigin } from "../../shared/joining/form-checks.ts";
import { checkInvitationNotRequired } from "../../shared/joining/joining.ts";
import { sendJoinLink } from "../../shared/joining/mail-requests.ts";
import { emailField, pageSpec } from "../../shared/joining/pages.ts";
import { checkMailEnabled } from "../../shared/mail/check.ts";
import { loadActiveRealm } from "../../shared/organization/access.ts";
import { text, withDefault } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/join",
    summary:
      "Mails a link to join without an invitation. The reply is the same whether or not the address has an account.",
    params: { email: withDefault(text(), "") },
    errors: ["NONEXISTENT_SUBDOMAIN", "REALM_DEACTIVATED"],
    creates: "mailedLink",
    uses: { table: "readWrite", sends: ["mail"], mailFrom: true, built: ["page.html"] },
  },
  async ({ params, request }) => {
    checkSameOrigin(request);
    const realm = await loadActiveRealm();
    checkInvitationNotRequired(realm);
    checkMailEnabled("ask a member of the organization for an invitation link.");
    return sendJoinLink(params.email, undefined, realm, request, (problem) => ({
      title: `Join ${realm.name}`,
      problem,
      fields: [emailField(params.email)],
      button: "Send me a link",
    }));
  },
);
