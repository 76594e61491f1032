import { int, string } from "../../shared/base/schema/params.ts";
import { accessAccountOnDevelopmentServer } from "../../shared/core/users/login.ts";
import { currentKey } from "../../shared/features/users/key-actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/dev_fetch_api_key",
    summary: "Returns any user's API key without a password. Only on development servers.",
    caller: "anyone",
    params: { username: string({ max: 254 }) },
    returns: { api_key: string(), email: string(), user_id: int() },
    errors: ["AUTHENTICATION_FAILED", "REALM_DEACTIVATED", "USER_DEACTIVATED"],
    uses: { table: "readWrite", secret: true },
  },
  async ({ params, request }) => {
    const account = await accessAccountOnDevelopmentServer(params.username, request.headers);
    return { api_key: await currentKey(account), email: account.email, user_id: account.userId };
  },
);
