import { withBoundedDescriptions } from "../channels/descriptions.ts";
import { bool, int, nullable, strictObject, text, type Value } from "../schema/params.ts";
import { type ChannelFolder, listChannelFolders } from "../store/channels/channel-folders.ts";

/** The channel folder object; see https://zulip.com/api/get-channel-folders. */
export const folderObject = strictObject({
  id: int(),
  name: text(),
  description: text(),
  rendered_description: text(),
  order: int(),
  date_created: int(),
  creator_id: nullable(int()),
  is_archived: bool(),
});
export type FolderObject = Value<typeof folderObject>;

export const toFolderWire = (folder: ChannelFolder): FolderObject => ({
  id: folder.id,
  name: folder.name,
  description: folder.description,
  rendered_description: folder.renderedDescription,
  order: folder.order,
  date_created: folder.createdAt,
  creator_id: folder.creatorId,
  is_archived: folder.isArchived,
});

/** `channel_folders` of the initial state, in their order, including archived ones. */
export const channelFoldersState = async () => withBoundedDescriptions(await listChannelFolders()).map(toFolderWire);
