import { bool, exactly, int, nullable, text, type Value } from "../http/params.ts";
import type { ChannelFolder } from "../store/channel-folders.ts";

/** The record of a channel folder (companion reference, C). */
export const folderObject = exactly({
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

export const wireFolder = (folder: ChannelFolder): FolderObject => ({
  id: folder.id,
  name: folder.name,
  description: folder.description,
  rendered_description: folder.renderedDescription,
  order: folder.order,
  date_created: folder.createdAt,
  creator_id: folder.creatorId,
  is_archived: folder.isArchived,
});
