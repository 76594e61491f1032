import { endpoint } from "../../shared/http/endpoint.ts";
import { int, string } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { currentKey } from "../../shared/users/key-actions.ts";
import { accessAccountByPassword } from "../../shared/users/login.ts";
import { throttled } from "../../shared/users/throttle.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/fetch_api_key",
    summary: "Returns the API key of a user who proves to know the password.",
    caller: "anyone",
    params: { username: string({ max: 254 }), password: string({ max: 1000 }) },
    returns: { api_key: string(), email: string(), user_id: int() },
    uses: { table: "readWrite", secret: true },
  },
  async ({ params, request }) => {
    const realm = await accessRealm();
    const account = await throttled(params.username, request.sourceIp, () =>
      accessAccountByPassword(params.username, params.password, realm),
    );
    return { api_key: await currentKey(account), email: account.email, user_id: account.userId };
  },
);
