import { text, withDefault } from "../../shared/base/schema/params.ts";
import { checkSameOrigin } from "../../shared/features/joining/form-checks.ts";
import { checkInvitationNotRequired } from "../../shared/features/joining/joining.ts";
import { sendJoinLink } from "../../shared/features/joining/mail-requests.ts";
import { emailField, pageSpec } from "../../shared/features/joining/pages.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkMailEnabled } from "../../shared/services/mail/check.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

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
