import { string, text } from "../../shared/base/schema/params.ts";
import { beginSetUp } from "../../shared/features/users/second-factors.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkIsNoAppPassword } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/second_factor",
    summary: "Returns a secret for an authenticator app, in exchange for the caller's password.",
    note: "Nothing changes until a code confirms that the app has the secret (`POST /users/me/second_factor/confirm`, within ten minutes). `otpauth_url` is what a QR code for the app contains; the codes are those of RFC 6238 with SHA-1, six digits and 30 seconds. Failures are limited as at `POST /fetch_api_key`.",
    caller: "human",
    params: { password: string({ max: 1000 }) },
    returns: { second_factor_token: text(), secret: text(), otpauth_url: text() },
    needs: { realm },
    errors: ["AUTHENTICATION_FAILED", "PASSWORD_AUTH_DISABLED"],
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller, params, request, realm }) => {
    await checkIsNoAppPassword(caller);
    return beginSetUp(caller, params.password, request.sourceIp, realm);
  },
);
