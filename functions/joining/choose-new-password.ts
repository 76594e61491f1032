import { bool, string, withDefault } from "../../shared/base/schema/params.ts";
import { checkSameOrigin } from "../../shared/features/joining/form-checks.ts";
import { showFormAgainOnError } from "../../shared/features/joining/mail-requests.ts";
import { pageSpec, showSignedIn, showTextPage } from "../../shared/features/joining/pages.ts";
import { accessReset, resetPassword } from "../../shared/features/joining/passwords.ts";
import { resetForm } from "../../shared/features/joining/reset-form.ts";
import { signInAt } from "../../shared/features/users/devices.ts";
import { isSecondFactorRequired } from "../../shared/features/users/second-factor-check.ts";
import { removeSignedOutPhones } from "../../shared/messaging/mobile-push/removal.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/password-reset/{token}",
    summary: "Sets a new password from a password reset link, and replaces the API key on request.",
    params: {
      token: string({ max: 100 }),
      password: withDefault(string({ max: 1000 }), ""),
      end_keys: withDefault(bool(), false),
    },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "PASSWORD_AUTH_DISABLED", "REALM_DEACTIVATED"],
    creates: ["apiKey", "session"],
    uses: {
      table: "readWrite",
      secret: true,
      sends: ["mail", "outgoing"],
      mailFrom: true,
      pushBouncer: true,
      built: ["page.html"],
    },
  },
  async ({ params, request }) => {
    checkSameOrigin(request);
    const realm = await loadActiveRealm();
    const reset = await accessReset(params.token, realm);
    const { password, end_keys: replacesKey } = params;
    return showFormAgainOnError(
      (problem) => resetForm(reset, { replacesKey, problem }),
      async () => {
        await resetPassword(reset, password, replacesKey, request.sourceIp);
        if (replacesKey) await removeSignedOutPhones(reset.user);
        const title = "Your new password is set";
        // Whoever reads somebody's mail does not have their second factor.
        if (reset.account.secondFactor !== undefined || isSecondFactorRequired(realm))
          return showTextPage(title, "Sign in with it and a code of your second factor.");
        return showSignedIn(title, await signInAt(reset.account.email, request, realm));
      },
    );
  },
);
