import { text } from "../../shared/base/schema/params.ts";
import { pictureChange } from "../../shared/core/organization/picture-actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { iconData } from "../../shared/services/organization/pictures.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/realm/icon",
    summary: "Removes the organization's icon, and shows its generated icon again.",
    caller: "admin",
    params: {},
    returns: { icon_url: text() },
    uses: { table: "readWrite" },
  },
  async () => {
    const { change, organization } = await pictureChange("icon");
    return { change, reply: { icon_url: iconData(organization).icon_url } };
  },
);
