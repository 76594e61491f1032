import { endpoint } from "../../shared/http/endpoint.ts";
import { pageSpec, showForm } from "../../shared/joining/pages.ts";
import { accessReset } from "../../shared/joining/passwords.ts";
import { resetForm } from "../../shared/joining/reset-form.ts";
import { loadActiveRealm } from "../../shared/organization/access.ts";
import { string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/password-reset/{token}",
    summary: "Shows the form of a password reset link.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "PASSWORD_AUTH_DISABLED", "REALM_DEACTIVATED"],
    uses: { table: "read", built: ["page.html"] },
  },
  async ({ params }) => showForm(resetForm(await accessReset(params.token, await loadActiveRealm()))),
);
