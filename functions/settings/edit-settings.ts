import { endpoint } from "../../shared/http/endpoint.ts";
import { optional, string, text } from "../../shared/schema/params.ts";
import { editOwnSettings } from "../../shared/settings/manage/edit-settings.ts";
import { userSettingParams } from "../../shared/settings/rules.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/settings",
    summary: "Changes the caller's settings, name, email address or password.",
    note: "With `email`, a link is mailed, and the address changes when it is followed; without mail it changes at once. The former address gets a mail that names the new one. The API key stays the same. Wrong old passwords count as for `POST /fetch_api_key`.",
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
