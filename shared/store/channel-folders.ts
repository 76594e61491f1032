import { padded } from "./keys.ts";
import { getItem, queryItems } from "./table.ts";
import { create, remove, type Update, update, type Write } from "./writes.ts";

/** A heading under which channels are listed. */
export interface ChannelFolder {
  id: number;
  name: string;
  description: string;
  renderedDescription: string;
  /** Its place among the folders. */
  order: number;
  /** UNIX seconds. */
  createdAt: number;
  creatorId: number | null;
  isArchived: boolean;
}

const key = (id: number) => ({ pk: "CHANNELFOLDERS", sk: padded(id) });
const claimKey = (name: string) => ({ pk: `CHANNELFOLDERNAME#${name.toLowerCase()}`, sk: "CLAIM" });

/** 0.5 read units. */
export const findChannelFolder = (id: number) => getItem<ChannelFolder>(key(id));

/** All folders in their order. */
export const listChannelFolders = async (): Promise<ChannelFolder[]> =>
  (await queryItems<ChannelFolder>({ pk: "CHANNELFOLDERS" })).sort((a, b) => a.order - b.order || a.id - b.id);

/** Fails its transaction when the name is taken, ignoring case: the claim is the first write. */
export const createChannelFolder = (folder: ChannelFolder): Write[] => [
  claimFolderName(folder.name),
  create({ ...key(folder.id), ...folder }),
];

export const updateChannelFolder = (id: number, change: Update): Write => update(key(id), change, { exists: true });

/** An archived folder gives its name free. */
export const claimFolderName = (name: string): Write => create({ ...claimKey(name) });
export const releaseFolderName = (name: string): Write => remove(claimKey(name));
