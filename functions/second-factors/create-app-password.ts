import { optional, string, text } from "../../shared/base/schema/params.ts";
import { makeAppPassword } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/app_passwords",
    summary:
      "Creates an app password: a key with a name, for a program that cannot sign in on its own, such as a bot or a terminal client.",
    note: "Only this reply contains the key. It works wherever the API key does, and as the password at `POST /fetch_api_key`. It is listed with the devices (`GET /users/me/devices`), where `client` is its name, and revoked like them (`DELETE /users/me/devices/{device_id}`); a new API key revokes it too. It does not end by `session_age_limit_seconds` or `session_idle_limit_seconds`. App passwords cannot create others, a new API key, agents' keys or the session of a browser, change the second factor, or end other devices. The person is notified by email. `password` is the caller's, and needed unless they have none or `password_auth_enabled` is off; failures are limited as at `POST /fetch_api_key`. Where a second factor is required, a person without one and without an identity at a provider sets one up first.",
    caller: "human",
    params: { name: text(), password: optional(string({ max: 1000 })) },
    returns: { id: string(), app_password: string() },
    needs: { realm },
    errors: ["AUTHENTICATION_FAILED"],
    creates: "appPassword",
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request, realm }) => makeAppPassword(caller, params, request, realm),
);
