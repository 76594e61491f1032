import { maxFolders, reorderFolders } from "../../shared/channel-folders/channel-folders.ts";
import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { int, list } from "../../shared/schema/params.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/channel_folders",
    summary: "Reorders the channel folders. The list must contain all of them, including archived ones.",
    caller: "admin",
    params: { order: list(int(), { max: maxFolders }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await reorderFolders(params.order) }),
);
