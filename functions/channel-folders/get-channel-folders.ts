import { bool, list, withDefault } from "../../shared/base/schema/params.ts";
import { channelFoldersState, folderObject } from "../../shared/features/channel-folders/channel-folders.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/channel_folders",
    summary: "Lists the channel folders in their order.",
    caller: "user",
    params: { include_archived: withDefault(bool(), false) },
    returns: { channel_folders: list(folderObject) },
    uses: { table: "read" },
  },
  async ({ params }) => {
    const folders = await channelFoldersState();
    return { channel_folders: folders.filter((folder) => params.include_archived || !folder.is_archived) };
  },
);
