import { bool } from "../../shared/base/schema/params.ts";
import { changePicture } from "../../shared/core/organization/picture-actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/logo",
    summary: "Removes the organization's logo for the light or dark theme.",
    caller: "admin",
    params: { night: bool() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    await changePicture(params.night ? "nightLogo" : "logo", undefined);
  },
);
