import { createHash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../../base/aws/secret.ts";
import type { Account } from "../../store/users/accounts.ts";

/**
 * API keys are derived from the fleet's secret and a salt in the account, and only their hashes are stored: the server can show
 * a key to its owner again, and a leaked copy of the table does not reveal any key.
 */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const keyLength = 32;

export const newKeySalt = () => randomBytes(16).toString("hex");

/** 32 characters of [A-Za-z0-9]. Deterministic. */
export function deriveApiKey(secret: string, salt: string): string {
  // Drops bytes from 248 (4 × 62) on, so that every character is equally likely. Fewer than 32 of 96 bytes remain with a
  // probability of only 10^-40.
  const bytes = Buffer.from(hkdfSync("sha256", secret, salt, "skein api key", 96)).filter((byte) => byte < 248);
  return [...bytes.subarray(0, keyLength)].map((byte) => alphabet[byte % 62]).join("");
}

/** A key has 190 bits of entropy, so a fast hash without a salt suffices. */
export const hashApiKey = (apiKey: string) => createHash("sha256").update(apiKey).digest("hex");

/** A new key, and what an account stores of it. */
export async function newApiKey(): Promise<{ apiKey: string } & Pick<Account, "keySalt" | "keyHash">> {
  const keySalt = newKeySalt();
  const apiKey = deriveApiKey(await fleetSecret(), keySalt);
  return { apiKey, keySalt, keyHash: hashApiKey(apiKey) };
}

/** Compares in constant time. */
export function keyMatches(apiKey: string, keyHash: string): boolean {
  const given = Buffer.from(hashApiKey(apiKey), "hex");
  const stored = Buffer.from(keyHash, "hex");
  return given.length === stored.length && timingSafeEqual(given, stored);
}

/** The API key of an account, which is derived because it is not stored. */
export const apiKeyOfAccount = async ({ keySalt }: Pick<Account, "keySalt">): Promise<string> =>
  deriveApiKey(await fleetSecret(), keySalt);
