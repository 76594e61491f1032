import { string } from "../../shared/base/schema/params.ts";
import { turnOff } from "../../shared/features/users/second-factors.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkIsNoAppPassword } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/second_factor",
    summary:
      "Turns the caller's second factor off, in exchange for the password and a code of the app or a recovery code.",
    note: "The person is notified by email. Failures are limited as at `POST /fetch_api_key` and `POST /second_factor/fetch_api_key`.",
    caller: "human",
    params: { password: string({ max: 1000 }), code: string({ max: 100 }) },
    returns: {},
    needs: { realm },
    errors: ["AUTHENTICATION_FAILED", "PASSWORD_AUTH_DISABLED"],
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request, realm }) => {
    await checkIsNoAppPassword(caller);
    return turnOff(caller, params, request.sourceIp, realm);
  },
);
