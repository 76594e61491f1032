import { checkInvitationNotRequired } from "../../shared/features/joining/joining.ts";
import { emailField, pageSpec, showForm } from "../../shared/features/joining/pages.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkMailEnabled } from "../../shared/services/mail/check.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

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
      introduction: "We will send you a link that confirms your email address.",
      fields: [emailField()],
      button: "Send me a link",
    });
  },
);
