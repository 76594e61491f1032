import { bool } from "../../shared/base/schema/params.ts";
import { pictureChange } from "../../shared/core/organization/picture-actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/realm/logo",
    summary: "Removes the organization's logo for the light or dark theme.",
    caller: "admin",
    params: { night: bool() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: (await pictureChange(params.night ? "nightLogo" : "logo")).change }),
);
