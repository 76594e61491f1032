import { userSettingParams } from "../../shared/core/settings/rules.ts";
import { editOwnSettings } from "../../shared/features/settings/edit-settings.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/settings/notifications",
    summary: "Changes the caller's settings. For older clients; others use `PATCH /settings`.",
    caller: "human",
    params: userSettingParams,
    returns: {},
    uses: { table: "readWrite", sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request }) => editOwnSettings(caller, params, request),
);
