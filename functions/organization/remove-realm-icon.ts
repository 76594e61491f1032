import { endpoint } from "../../shared/http/endpoint.ts";
import { changePicture } from "../../shared/organization/manage/picture-actions.ts";
import { iconData } from "../../shared/organization/pictures.ts";
import { text } from "../../shared/schema/params.ts";

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
