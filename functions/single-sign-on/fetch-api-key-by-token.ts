import { int, string } from "../../shared/base/schema/params.ts";
import { redeemSignInToken } from "../../shared/features/single-sign-on/sign-in.ts";
import { signIn } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/token/fetch_api_key",
    summary: "Returns a user's API key in exchange for the single-use token of a sign-in by an identity provider.",
    note: "The desktop app gets the token from the code that is pasted after signing in with `desktop_flow_otp`. The key is that of the device, as at `POST /fetch_api_key`.",
    caller: "anyone",
    params: { token: string({ max: 100 }) },
    returns: { api_key: string(), email: string(), user_id: int() },
    errors: ["BAD_REQUEST", "NONEXISTENT_SUBDOMAIN", "REALM_DEACTIVATED", "USER_DEACTIVATED"],
    creates: "session",
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ params, request }) => {
    const realm = await loadActiveRealm();
    const account = await redeemSignInToken(params.token);
    return {
      api_key: await signIn(account, request, realm, { method: "your identity provider" }),
      email: account.email,
      user_id: account.userId,
    };
  },
);
