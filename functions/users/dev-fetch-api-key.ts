import { int, string } from "../../shared/base/schema/params.ts";
import { accessAccountOnDevelopmentServer } from "../../shared/core/users/login.ts";
import { signIn } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/dev_fetch_api_key",
    summary: "Returns any user's API key without a password or second factor. Only on development servers.",
    caller: "anyone",
    params: { username: string({ max: 254 }) },
    returns: { api_key: string(), email: string(), user_id: int() },
    errors: ["AUTHENTICATION_FAILED", "REALM_DEACTIVATED", "USER_DEACTIVATED"],
    creates: ["apiKey", "session"],
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ params, request }) => {
    const account = await accessAccountOnDevelopmentServer(params.username, request.headers);
    return {
      api_key: await signIn(account, request, await loadRealm(), { skipsSecondFactor: true }),
      email: account.email,
      user_id: account.userId,
    };
  },
);
