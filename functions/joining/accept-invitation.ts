import { string, text, withDefault, withNote } from "../../shared/base/schema/params.ts";
import { checkSameOrigin } from "../../shared/features/joining/form-checks.ts";
import { accessSignUpGrant, checkPasswordsEnabled, join } from "../../shared/features/joining/joining.ts";
import { sendJoinLink, showFormAgainOnError } from "../../shared/features/joining/mail-requests.ts";
import { pageSpec, showSignedIn, showTextPage } from "../../shared/features/joining/pages.ts";
import { channelGroupField, mustVerifyAddress, signUpForm } from "../../shared/features/joining/sign-up-form.ts";
import { signInAt } from "../../shared/features/users/devices.ts";
import { isSecondFactorRequired } from "../../shared/features/users/second-factor-check.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/join/{token}",
    summary: "Creates an account from an invitation link, or first mails a link to verify the email address.",
    params: {
      token: string({ max: 100 }),
      email: withDefault(text(), ""),
      full_name: withDefault(text(), ""),
      password: withDefault(string({ max: 1000 }), ""),
      default_stream_group: withNote(withDefault(text(), ""), "May be sent several times."),
    },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "PASSWORD_AUTH_DISABLED", "REALM_DEACTIVATED"],
    creates: ["user", "apiKey", "session", "mailedLink"],
    uses: {
      table: "readWrite",
      secret: true,
      sends: ["background-jobs", "mail"],
      mailFrom: true,
      built: ["page.html"],
    },
  },
  async ({ params, request }) => {
    checkSameOrigin(request);
    const realm = await loadActiveRealm();
    checkPasswordsEnabled(realm);
    const grant = await accessSignUpGrant(params.token, realm);
    const { email, full_name: fullName, password } = params;
    const channelGroups = new URLSearchParams(request.body().toString()).getAll(channelGroupField);
    const form = (problem: string) => signUpForm(grant, realm, { email, fullName, channelGroups, problem });
    if (mustVerifyAddress(grant)) return sendJoinLink(email, grant.invitation, realm, request, form);
    return showFormAgainOnError(form, async () => {
      const newcomer = { email: grant.email ?? email, fullName, password, channelGroups, sourceIp: request.sourceIp };
      const address = await join(grant, newcomer, realm);
      const title = `Welcome to ${realm.name}`;
      if (isSecondFactorRequired(realm))
        return showTextPage(
          title,
          "Your account is ready. Sign in, and set up the second factor that is required here.",
        );
      return showSignedIn(title, await signInAt(address, request, realm));
    });
  },
);
