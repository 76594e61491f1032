import { corrected } from "../table/consistency.ts";
import { getItem } from "../table/reads.ts";
import { type Key, put, remove, type Write } from "../table/writes.ts";

/**
 * Which bot has an API key, by the key's hash: services that call with a key alone are authenticated by it. People's keys have no
 * such record.
 */
interface BotKey {
  /** SHA-256 of the API key, in hex. */
  keyHash: string;
  /** The bot's e-mail address. */
  email: string;
}

const key = (keyHash: string): Key => ({ pk: `BOTKEY#${keyHash}`, sk: "BOTKEY" });

/**
 * A record is written with its key and never changes, so that a corrected read suffices if it finds one: 0.5 read units, or 1.5
 * for an unknown key.
 */
export const findBotKey = async (keyHash: string): Promise<BotKey | undefined> =>
  (await getItem<BotKey>(key(keyHash), corrected)) ?? (await getItem<BotKey>(key(keyHash)));

export const putBotKey = ({ keyHash, email }: BotKey): Write => put({ ...key(keyHash), keyHash, email });

export const deleteBotKey = (keyHash: string): Write => remove(key(keyHash));
