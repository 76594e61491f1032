import { string } from "../../shared/base/schema/params.ts";
import { accessSignUpGrant, checkPasswordsEnabled } from "../../shared/features/joining/joining.ts";
import { pageSpec, showForm, showWays } from "../../shared/features/joining/pages.ts";
import { providerWays, signUpForm } from "../../shared/features/joining/sign-up-form.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/join/{token}",
    summary: "Shows the sign-up form of an invitation link.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "PASSWORD_AUTH_DISABLED", "REALM_DEACTIVATED"],
    uses: { table: "read", mailFrom: true, identityProviders: "list", built: ["page.html"] },
  },
  async ({ params }) => {
    const realm = await loadActiveRealm();
    const ways = providerWays(params.token);
    if (ways.length === 0) checkPasswordsEnabled(realm);
    const grant = await accessSignUpGrant(params.token, realm);
    if (!realm.settings.password_auth_enabled)
      return showWays(`Join ${realm.name}`, "You have been invited. Choose how to sign in.", ways);
    return showForm({ ...(await signUpForm(grant, realm)), ways });
  },
);
