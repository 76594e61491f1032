import { createHash, hkdfSync, randomBytes } from "node:crypto";

/**
 * The secret tokens in links. They have 256 bits, of which only a hash is stored, so that a leaked copy of the table does not
 * reveal any link. If a link must be shown again, its token is derived from the fleet's secret and a stored salt.
 */

const tokenBytes = 32;

/** 43 characters of base64url. */
export const newLinkToken = (): string => randomBytes(tokenBytes).toString("base64url");

export const newTokenSalt = (): string => randomBytes(16).toString("hex");

/** Derives the token of a link that is shown again. Deterministic. */
export const deriveLinkToken = (secret: string, salt: string): string =>
  Buffer.from(hkdfSync("sha256", secret, salt, "skein link token", tokenBytes)).toString("base64url");

/** A token has 256 bits of entropy, so a fast hash without a salt suffices. */
export const hashLinkToken = (token: string): string => createHash("sha256").update(token).digest("hex");
