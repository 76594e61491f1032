import { maxFolders, reorderFolders } from "../../shared/channel-folders/folders.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, list } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/channel_folders",
    summary: "Gives the folders of channels their order: all of them, archived ones too.",
    caller: "admin",
    params: { order: list(int(), { max: maxFolders }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => reorderFolders(params.order),
);
