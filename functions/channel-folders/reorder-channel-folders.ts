import { int, list } from "../../shared/base/schema/params.ts";
import { maxFolders, reorderFolders } from "../../shared/features/channel-folders/channel-folders.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

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
