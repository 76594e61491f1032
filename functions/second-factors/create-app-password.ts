import { string, text } from "../../shared/base/schema/params.ts";
import { makeAppPassword } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/app_passwords",
    summary:
      "Creates an app password: a key with a name, for a program that cannot sign in on its own, such as a bot or a terminal client.",
    note: "Only this reply contains the key. It works wherever the API key does, and as the password at `POST /fetch_api_key`. It is listed with the devices (`GET /users/me/devices`), where `client` is its name, and revoked like them (`DELETE /users/me/devices/{device_id}`); a new API key revokes it too. It does not end by `session_age_limit_seconds` or `session_idle_limit_seconds`. App passwords cannot create others.",
    caller: "human",
    params: { name: text() },
    returns: { id: string(), app_password: string() },
    needs: { realm },
    creates: "appPassword",
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request, realm }) => makeAppPassword(caller, params.name, request, realm),
);
