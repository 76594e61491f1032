import { hashOf } from "../table/keys.ts";
import { getItem } from "../table/reads.ts";
import { updateIf } from "../table/single-writes.ts";
import { create, type Key, remove, type Write } from "../table/writes.ts";

/**
 * Who somebody is at an identity provider: "issuer subject". An account has at most one, in its `identity`; these items find
 * the account of an identity, and make identities unique.
 */

export const identityOf = (issuer: string, subject: string): string => `${issuer} ${subject}`;

/** Providers choose the subject, of up to 255 characters. */
const key = (identity: string): Key => ({ pk: `IDENTITY#${hashOf(identity)}`, sk: "IDENTITY" });

/** The ID of the user with an identity. 1 read unit. */
export const findIdentity = async (identity: string): Promise<number | undefined> =>
  (await getItem<{ userId: number }>(key(identity)))?.userId;

/** Fails its transaction when the identity has a user already. */
export const createIdentity = (identity: string, userId: number): Write => create({ ...key(identity), userId });

/** Idempotent. */
export const deleteIdentity = (identity: string): Write => remove(key(identity));

const usedKey = (token: string): Key => ({ pk: `SIGNIN#${hashOf(token)}`, sk: "SIGNIN" });

/** Notes that an attempt to sign in has ended; false if it had before. 1 write unit. */
export const endSignInAttempt = (state: string, expiresAt: number): Promise<boolean> =>
  updateIf(usedKey(`attempt ${state}`), { set: { expiresAt } }, { exists: false });

/** Whether a provider's logout token was used before. 1 read unit. */
export const isLogoutTokenUsed = async (issuer: string, tokenId: string): Promise<boolean> =>
  (await getItem(usedKey(`logout ${issuer} ${tokenId}`))) !== undefined;

/** Must be part of the transaction that a provider's logout token causes, which then fails if the token was used before. */
export const useLogoutToken = (issuer: string, tokenId: string, expiresAt: number): Write =>
  create({ ...usedKey(`logout ${issuer} ${tokenId}`), expiresAt });
