import { list, string, text } from "../../shared/base/schema/params.ts";
import { turnOn } from "../../shared/features/users/second-factors.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkIsNoAppPassword } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/second_factor/confirm",
    summary:
      "Turns the caller's second factor on, with the token of `POST /users/me/second_factor` and the app's first code.",
    note: "From then on, a sign-in by password needs a code too (`POST /second_factor/fetch_api_key`), and `POST /fetch_api_key` refuses the password alone with `SECOND_FACTOR_REQUIRED`; it accepts app passwords. Devices that are signed in, the API key and app passwords stay valid. A sign-in by an identity provider needs no code: the provider asks for its own. The person is notified by email. Only this reply contains the ten recovery codes, each of which replaces one code of the app.",
    caller: "human",
    params: { second_factor_token: string({ max: 200 }), code: string({ max: 100 }) },
    returns: { recovery_codes: list(text()) },
    needs: { realm },
    errors: ["AUTHENTICATION_FAILED"],
    creates: "secondFactor",
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request, realm }) => {
    await checkIsNoAppPassword(caller);
    const { second_factor_token: token, code } = params;
    const { sourceIp } = request;
    const { recoveryCodes } = await turnOn({ email: caller.email, token, code, sourceIp }, realm);
    return { recovery_codes: recoveryCodes };
  },
);
