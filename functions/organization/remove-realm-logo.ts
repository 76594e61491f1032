import { endpoint } from "../../shared/http/endpoint.ts";
import { changePicture } from "../../shared/organization/manage/picture-actions.ts";
import { bool } from "../../shared/schema/params.ts";

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
