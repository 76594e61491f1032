import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { nameKey } from "../../base/name-key.ts";
import { bool, int, nullable, strictObject, text, type Value } from "../../base/schema/params.ts";
import { checkDescription, checkName } from "../../base/schema/text.ts";
import { nowSeconds } from "../../base/time.ts";
import { withBoundedDescriptions } from "../../core/channels/descriptions.ts";
import type { Realm } from "../../services/organization/access.ts";
import {
  type ChannelFolder,
  claimFolderName,
  createChannelFolder,
  findChannelFolder,
  listChannelFolders,
  releaseFolderName,
  updateChannelFolder,
} from "../../store/channels/channel-folders.ts";
import { listChannels } from "../../store/channels/channels.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { type Change, commit } from "../../store/log/log.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { takeIds } from "../../store/table/counters.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { renderDescription } from "../channels/create.ts";

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
type FolderObject = Value<typeof folderObject>;

const toFolderWire = (folder: ChannelFolder): FolderObject => ({
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

/** Limited so that reordering all of them fits into one transaction. */
export const { max: maxFolders } = creationLimits.channelFolder;

export const checkFolderName = (text: string): string =>
  checkName(text, "channel folder name", limits.channelFolderNameLength);

export const checkFolderDescription = (text: string): string =>
  checkDescription(text, limits.channelFolderDescriptionLength);

const nameInUse = () => badRequest("Channel folder name already in use");

/** Creates a folder, ordered after the existing ones. */
export async function addFolder(
  fields: { name: string; description: string },
  creatorId: number,
  realm: Realm,
): Promise<{ change: Change; id: number }> {
  if ((await listChannelFolders()).length >= maxFolders) throw badRequest(tooMany("channelFolder"));
  const id = await takeIds("channel-folder");
  const folder: ChannelFolder = {
    ...fields,
    id,
    renderedDescription: await renderDescription(fields.description, realm),
    // IDs only grow, so the folder comes last: reordering uses 0 to the number of folders less one.
    order: id,
    createdAt: nowSeconds(),
    creatorId,
    isArchived: false,
  };
  const change = {
    writes: createChannelFolder(folder),
    events: [eventForEveryone({ type: "channel_folder", op: "add", channel_folder: toFolderWire(folder) })],
    refusal: nameInUse,
  };
  return { change, id };
}

interface FolderEdit {
  name?: string | undefined;
  description?: string | undefined;
  isArchived?: boolean | undefined;
}

/** Changes a folder. Refuses to archive a folder that contains channels. */
export const editFolder = (id: number, edit: FolderEdit, realm: Realm): Promise<void> =>
  retryOnConflict(async () => {
    const before = await findChannelFolder(id);
    if (!before) throw badRequest("Invalid channel folder ID");
    const after = { ...before, ...Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) };
    if (after.description !== before.description)
      after.renderedDescription = await renderDescription(after.description, realm);
    const data = {
      ...(after.name !== before.name && { name: after.name }),
      ...(after.description !== before.description && {
        description: after.description,
        rendered_description: after.renderedDescription,
      }),
      ...(after.isArchived !== before.isArchived && { is_archived: after.isArchived }),
    };
    if (Object.keys(data).length === 0) return;
    if (after.isArchived && !before.isArchived && (await containsChannels(id))) throw folderInUse();
    const { name, description, renderedDescription, isArchived } = after;
    await commit({
      writes: [
        updateChannelFolder(before, { name, description, renderedDescription, isArchived }),
        ...claimChanges(before, after).map((write) => withRefusal(write, nameInUse)),
      ],
      events: [eventForEveryone({ type: "channel_folder", op: "update", channel_folder_id: id, data })],
    });
    // A channel may have been added between the check above and the commit. Adding one later fails, because the folder is
    // archived.
    if (data.is_archived && (await containsChannels(id))) {
      await editFolder(id, { isArchived: false }, realm);
      throw folderInUse();
    }
  });

const containsChannels = async (id: number) =>
  (await withConsistentReads(listChannels)).some(({ folderId }) => folderId === id);
const folderInUse = () => badRequest("You need to remove all the channels from this folder to archive it.");

/**
 * Changes of the item that makes the name unique: an archived folder releases its name, and reserves it again when unarchived.
 */
function claimChanges(before: ChannelFolder, after: ChannelFolder) {
  const [heldName, wantedName] = [before, after].map(({ isArchived, name }) =>
    isArchived ? undefined : nameKey(name),
  );
  if (heldName === wantedName) return [];
  return [
    ...(wantedName === undefined ? [] : [claimFolderName(wantedName)]),
    ...(heldName === undefined ? [] : [releaseFolderName(heldName)]),
  ];
}

/** Reorders the folders. `order` must list every folder once. Conflicts if one of them has changed since they were read. */
export async function reorderFolders(order: readonly number[]): Promise<Change> {
  const folders = new Map((await listChannelFolders()).map((folder) => [folder.id, folder]));
  if (new Set(order).size !== order.length || order.length !== folders.size || order.some((id) => !folders.has(id)))
    throw badRequest("Invalid order mapping.");
  const writes = order.map((id, index) => updateChannelFolder(folders.get(id) as ChannelFolder, { order: index }));
  return { writes, events: [eventForEveryone({ type: "channel_folder", op: "reorder", order: [...order] })] };
}
