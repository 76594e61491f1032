import { string } from "../../shared/base/schema/params.ts";
import { pageSpec, showForm } from "../../shared/features/joining/pages.ts";
import { accessReset } from "../../shared/features/joining/passwords.ts";
import { resetForm } from "../../shared/features/joining/reset-form.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

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
