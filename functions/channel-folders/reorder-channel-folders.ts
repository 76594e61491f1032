import { mostFolders, reorderFolders } from "../../shared/channels/folders.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, list } from "../../shared/http/params.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/channel_folders",
    summary: "Gives the folders of channels their order: all of them, archived ones too.",
    caller: "admin",
    params: { order: list(int(), { max: mostFolders }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => reorderFolders(params.order),
);
