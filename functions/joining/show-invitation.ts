import { endpoint } from "../../shared/http/endpoint.ts";
import { accessSignUpGrant } from "../../shared/joining/joining.ts";
import { pageSpec, showForm } from "../../shared/joining/pages.ts";
import { signUpForm } from "../../shared/joining/sign-up-form.ts";
import { accessActiveRealm } from "../../shared/organization/access.ts";
import { string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/join/{token}",
    summary: "Shows the sign-up form of an invitation link.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "PASSWORD_AUTH_DISABLED", "REALM_DEACTIVATED"],
    uses: { table: "read", mailFrom: true, built: ["page.html"] },
  },
  async ({ params }) => {
    const realm = await accessActiveRealm();
    return showForm(await signUpForm(await accessSignUpGrant(params.token, realm), realm));
  },
);
