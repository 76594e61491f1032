import { endpoint } from "../../shared/http/endpoint.ts";
import { text } from "../../shared/http/params.ts";
import { changePicture } from "../../shared/organization/picture-actions.ts";
import { iconData } from "../../shared/organization/pictures.ts";

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
  async () => ({ icon_url: iconData(await changePicture("icon", undefined)).icon_url }),
);
