import { list, string, text } from "../../shared/base/schema/params.ts";
import { renewRecoveryCodes } from "../../shared/features/users/second-factors.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkIsNoAppPassword } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/second_factor/recovery_codes",
    summary: "Replaces the caller's recovery codes, in exchange for a code of the authenticator app.",
    note: "Only this reply contains the ten new codes; the former ones are refused from then on. The person is notified by email. Failures are limited as at `POST /second_factor/fetch_api_key`.",
    caller: "human",
    params: { code: string({ max: 100 }) },
    returns: { recovery_codes: list(text()) },
    needs: { realm },
    errors: ["AUTHENTICATION_FAILED"],
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request, realm }) => {
    await checkIsNoAppPassword(caller);
    return { recovery_codes: await renewRecoveryCodes(caller, params.code, request.sourceIp, realm) };
  },
);
