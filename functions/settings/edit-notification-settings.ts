import { endpoint } from "../../shared/http/endpoint.ts";
import { editOwnSettings } from "../../shared/settings/manage/edit-settings.ts";
import { userSettingParams } from "../../shared/settings/rules.ts";

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
