import { endpoint } from "../../shared/http/endpoint.ts";
import { bool } from "../../shared/http/params.ts";
import { changePicture } from "../../shared/organization/picture-actions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/logo",
    summary: "Takes the organization's logo for light or for dark ground away.",
    caller: "admin",
    params: { night: bool() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    await changePicture(params.night ? "nightLogo" : "logo", undefined);
  },
);
