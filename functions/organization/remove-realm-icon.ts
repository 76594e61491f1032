import { text } from "../../shared/base/schema/params.ts";
import { changePicture } from "../../shared/core/organization/picture-actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { iconData } from "../../shared/services/organization/pictures.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/icon",
    summary: "Removes the organization's icon, and shows its generated icon again.",
    caller: "admin",
    params: {},
    returns: { icon_url: text() },
    uses: { table: "readWrite" },
  },
  async () => ({ icon_url: iconData(await changePicture("icon", undefined)).icon_url }),
);
