import { padded } from "../table/keys.ts";
import { getItem } from "../table/reads.ts";
import { updateItem } from "../table/single-writes.ts";

/** A channel's e-mail address: one for each person who has asked for it, and each sender that they have chosen. */
export interface MailAddress {
  channelId: number;
  /** The person whose permission to post counts. */
  creatorId: number;
  /** Who posts what arrives: Email Gateway, the creator, or a bot of theirs. */
  senderId: number;
}

const key = ({ channelId, creatorId, senderId }: MailAddress) => ({
  pk: `MAILADDRESSES#${channelId}`,
  sk: `${padded(creatorId)}#${padded(senderId)}`,
});

/** How often the address was replaced; 1 read unit. */
export const findReplacements = async (address: MailAddress): Promise<number> =>
  (await getItem<{ replacements: number }>(key(address)))?.replacements ?? 0;

/** Makes all former forms of the address invalid, and returns how often it has been replaced; 1 write unit. */
export const countReplacement = async (address: MailAddress): Promise<number> =>
  (await updateItem<{ replacements: number }>(key(address), { add: { replacements: 1 } })).replacements;
