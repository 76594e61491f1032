import { int, text, withDefault } from "../../shared/base/schema/params.ts";
import {
  addFolder,
  checkFolderDescription,
  checkFolderName,
} from "../../shared/features/channel-folders/channel-folders.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/channel_folders/create",
    summary: "Creates a channel folder, ordered after the existing ones.",
    note: "An archived folder's name can be reused.",
    caller: "admin",
    params: { name: text(), description: withDefault(text(), "") },
    returns: { channel_folder_id: int() },
    needs: { realm },
    creates: "channelFolder",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const fields = { name: checkFolderName(params.name), description: checkFolderDescription(params.description) };
    const { change, id } = await addFolder(fields, caller.id, realm);
    return { change, reply: { channel_folder_id: id } };
  },
);
