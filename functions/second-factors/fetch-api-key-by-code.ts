import { int, list, optional, string, text, withNote } from "../../shared/base/schema/params.ts";
import { signInByCode } from "../../shared/features/users/second-factor-sign-in.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/second_factor/fetch_api_key",
    summary:
      "Signs in somebody who has given their password at `POST /fetch_api_key`, and now gives a code of their second factor.",
    note: [
      "`second_factor_token` comes with the error `SECOND_FACTOR_REQUIRED` and is valid for ten minutes, unless the password, API key or second factor changes. `code` is that of an authenticator app, or a recovery code; each works once. Clocks may differ by 30 seconds.",
      "With the token of `SECOND_FACTOR_NOT_SET_UP`, the first code of the authenticator app turns the second factor on.",
      "Wrong codes are limited as wrong passwords are, and apart from them: the right password does not reset their count.",
    ],
    caller: "anyone",
    params: { username: string({ max: 254 }), second_factor_token: string({ max: 200 }), code: string({ max: 100 }) },
    returns: {
      api_key: string(),
      email: string(),
      user_id: int(),
      recovery_codes: optional(
        withNote(list(text()), "After `SECOND_FACTOR_NOT_SET_UP`: only this reply contains them."),
      ),
    },
    errors: ["AUTHENTICATION_FAILED", "NONEXISTENT_SUBDOMAIN", "PASSWORD_AUTH_DISABLED", "REALM_DEACTIVATED"],
    creates: ["secondFactor", "session"],
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ params, request }) => {
    const realm = await loadActiveRealm();
    const { username: email, second_factor_token: token, code } = params;
    const { account, apiKey, recoveryCodes } = await signInByCode({ email, token, code }, request, realm);
    return { api_key: apiKey, email: account.email, user_id: account.userId, recovery_codes: recoveryCodes };
  },
);
