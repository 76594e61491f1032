import { endpoint } from "../../shared/http/endpoint.ts";
import { checkInvitationNotRequired } from "../../shared/joining/joining.ts";
import { emailField, pageSpec, showForm } from "../../shared/joining/pages.ts";
import { checkMailEnabled } from "../../shared/mail/check.ts";
import { loadActiveRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/join",
    summary: "Shows the sign-up form for organizations that require no invitation.",
    params: {},
    errors: ["NONEXISTENT_SUBDOMAIN", "REALM_DEACTIVATED"],
    uses: { table: "read", mailFrom: true, built: ["page.html"] },
  },
  async () => {
    const realm = await loadActiveRealm();
    checkInvitationNotRequired(realm);
    checkMailEnabled("ask a member of the organization for an invitation link.");
    return showForm({
      title: `Join ${realm.name}`,
      introduction: "We will send you a link that confirms your e-mail address.",
      fields: [emailField()],
      button: "Send me a link",
    });
  },
);
