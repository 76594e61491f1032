import { optional, string, text } from "../../shared/base/schema/params.ts";
import { userSettingParams } from "../../shared/core/settings/rules.ts";
import { editOwnSettings } from "../../shared/features/settings/edit-settings.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/settings",
    summary: "Changes the caller's settings, name, email address or password.",
    note: "For a new `email`, the server emails a link, and the address changes when the link is followed; if the server sends no email, it changes at once. The former address gets an email that names the new one. The API key stays the same. Wrong old passwords count as failures of `POST /fetch_api_key`.",
    caller: "human",
    params: {
      ...userSettingParams,
      full_name: optional(text()),
      email: optional(text()),
      old_password: optional(string({ max: 1000 })),
      new_password: optional(string({ max: 1000 })),
    },
    returns: {},
    errors: ["PASSWORD_AUTH_DISABLED"],
    creates: ["mailedLink", "status"],
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request }) => editOwnSettings(caller, params, request),
);
