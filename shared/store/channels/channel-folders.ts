import { nameKey } from "../../base/name-key.ts";
import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { check, create, remove, update, type Write } from "../table/writes.ts";

/** A heading under which clients list channels. */
export interface ChannelFolder {
  id: number;
  /** For optimistic concurrency: each change increments it. */
  version?: number;
  name: string;
  description: string;
  renderedDescription: string;
  order: number;
  /** UNIX seconds. */
  createdAt: number;
  creatorId: number | null;
  isArchived: boolean;
}

const key = (id: number) => ({ pk: "CHANNELFOLDERS", sk: padded(id) });
const claimKey = (name: string) => ({ pk: `CHANNELFOLDERNAME#${nameKey(name)}`, sk: "CLAIM" });

export const findChannelFolder = (id: number) => getItem<ChannelFolder>(key(id));

/** All folders, by `order`. */
export const listChannelFolders = async (): Promise<ChannelFolder[]> =>
  (await queryItems<ChannelFolder>({ pk: "CHANNELFOLDERS" })).sort((a, b) => a.order - b.order || a.id - b.id);

/** Fails its transaction when the name is taken, ignoring case. */
export const createChannelFolder = (folder: ChannelFolder): Write[] => [
  claimFolderName(folder.name),
  create({ ...key(folder.id), ...folder }),
];

/** Fails its transaction when another request has changed the folder since it was read. */
export const updateChannelFolder = (
  { id, version }: Pick<ChannelFolder, "id" | "version">,
  set: Partial<ChannelFolder>,
): Write => update(key(id), { set: { ...set, version: (version ?? 0) + 1 } }, { exists: true, equals: { version } });

/** Fails its transaction when the folder has been archived, so that no channel is added to it. 2 write units. */
export const checkFolderOpen = (id: number): Write => check(key(id), { equals: { isArchived: false } });

/** Reserves a name, ignoring case, until the folder is archived or renamed. */
export const claimFolderName = (name: string): Write => create({ ...claimKey(name) });
export const releaseFolderName = (name: string): Write => remove(claimKey(name));
