import { createHash, hkdfSync, randomBytes } from "node:crypto";

/**
 * The secrets in links that are mailed or shown: 256 bits, of which only a hash is stored, so that a copy of the table opens
 * nothing. A link that must be shown again has its token derived from the fleet's secret and a salt that is stored.
 */

const bytes = 32;

/** 43 characters of base64url. */
export const newLinkToken = (): string => randomBytes(bytes).toString("base64url");

export const newTokenSalt = (): string => randomBytes(16).toString("hex");

/** The same token for the same secret and salt. */
export const derivedLinkToken = (secret: string, salt: string): string =>
  Buffer.from(hkdfSync("sha256", secret, salt, "skein link token", bytes)).toString("base64url");

/** A token has 256 bits of its own, so that a plain hash suffices. */
export const hashOfToken = (token: string): string => createHash("sha256").update(token).digest("hex");
