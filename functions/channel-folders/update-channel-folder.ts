import { bool, int, optional, text } from "../../shared/base/schema/params.ts";
import {
  checkFolderDescription,
  checkFolderName,
  editFolder,
} from "../../shared/features/channel-folders/channel-folders.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/channel_folders/{channel_folder_id}",
    summary: "Changes a channel folder's name or description, archives it or unarchives it.",
    caller: "admin",
    params: {
      channel_folder_id: int(),
      name: optional(text()),
      description: optional(text()),
      is_archived: optional(bool()),
    },
    returns: {},
    needs: { realm },
    uses: { table: "readWrite" },
  },
  async ({ params, realm }) => {
    const { name, description, is_archived: isArchived } = params;
    const edit = {
      name: name === undefined ? undefined : checkFolderName(name),
      description: description === undefined ? undefined : checkFolderDescription(description),
      isArchived,
    };
    await editFolder(params.channel_folder_id, edit, realm);
  },
);
