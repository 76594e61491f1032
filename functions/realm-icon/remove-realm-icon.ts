import { endpoint } from "../../shared/http/endpoint.ts";
import { text } from "../../shared/http/params.ts";
import { changeIcon } from "../../shared/organization/icon-actions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/icon",
    summary: "Takes the organization's picture away; one made from its name is shown again.",
    caller: "admin",
    params: {},
    returns: { icon_url: text() },
    uses: { table: "readWrite" },
  },
  async () => ({ icon_url: await changeIcon(undefined) }),
);
