import { createHash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { fleetSecret } from "../aws/secret.ts";
import type { Account } from "../store/users/accounts.ts";

/**
 * API keys are derived from the fleet's secret and a salt in the account, and only their hash is stored: a key can be
 * told to its owner again, and a copy of the table lets nobody act as a user.
 */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const length = 32;

export const newKeySalt = () => randomBytes(16).toString("hex");

/** 32 characters of [A-Za-z0-9], the same for the same secret and salt. */
export function apiKeyOf(secret: string, salt: string): string {
  // Bytes from 248 on are dropped, so that each letter is equally likely; 96 bytes leave 32 but for one case in 10^40.
  const bytes = Buffer.from(hkdfSync("sha256", secret, salt, "skein api key", 96)).filter((byte) => byte < 248);
  return [...bytes.subarray(0, length)].map((byte) => alphabet[byte % 62]).join("");
}

/** A key has 190 bits of its own, so that a plain hash suffices and costs no time. */
export const hashOfKey = (apiKey: string) => createHash("sha256").update(apiKey).digest("hex");

/** Compares in constant time. */
export function keyMatches(apiKey: string, keyHash: string): boolean {
  const given = Buffer.from(hashOfKey(apiKey), "hex");
  const kept = Buffer.from(keyHash, "hex");
  return given.length === kept.length && timingSafeEqual(given, kept);
}

/** The API key of an account, derived anew: it is stored nowhere. */
export const keyOf = async ({ keySalt }: Pick<Account, "keySalt">): Promise<string> =>
  apiKeyOf(await fleetSecret(), keySalt);
