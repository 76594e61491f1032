import { padded } from "../table/keys.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { create, remove, type Update, update, type Write } from "../table/writes.ts";

/** A custom emoji. It is never deleted, because reactions and messages may show it. */
export interface OrganizationEmoji {
  id: number;
  name: string;
  /** The picture's file; `stillPath` is a still image of an animated one. */
  path: string;
  stillPath?: string;
  authorId: number | null;
  deactivated: boolean;
}

const key = (id: number) => ({ pk: "EMOJI", sk: padded(id) });
/** Reserves the name while the emoji is active. */
const claimKey = (name: string) => ({ pk: `EMOJINAME#${name}`, sk: "CLAIM" });

export const findEmoji = (id: number) => getItem<OrganizationEmoji>(key(id));

/** The ID of the active emoji of a name; 1 read unit. */
export const findEmojiIdByName = async (name: string) => (await getItem<{ emojiId: number }>(claimKey(name)))?.emojiId;

/** All of the organization's emoji, including deactivated ones, by ID. */
export const listEmoji = () => queryItems<OrganizationEmoji>({ pk: "EMOJI" });

/** Fails its transaction when an active emoji has the name. */
export const createEmoji = (emoji: OrganizationEmoji): Write[] => [
  create({ ...key(emoji.id), ...emoji }),
  create({ ...claimKey(emoji.name), emojiId: emoji.id }),
];

/** Also releases the name; fails when the emoji is no longer active. */
export const deactivateEmoji = ({ id, name }: OrganizationEmoji): Write[] => [
  update(key(id), { set: { deactivated: true } } satisfies Update, { exists: true, equals: { deactivated: false } }),
  remove(claimKey(name), { exists: true, equals: { emojiId: id } }),
];
