import { getItem } from "../table/table.ts";
import { check, create, type Key, remove, type Write } from "../table/writes.ts";

/** What whoever holds a link may do, under the hash of the token in the link. */
export type Grant =
  /** Accept an invitation. */
  | { kind: "invitation"; invitationId: number }
  /** Make an account for an address that was proved to be one's own; with an invitation, as that says. */
  | { kind: "join"; email: string; invitationId?: number | undefined }
  /** Choose a new password, while the account has this address and a password with this mark. */
  | { kind: "password-reset"; userId: number; email: string; passwordMark: string }
  /** Move an account from an address to another. */
  | { kind: "email-change"; userId: number; email: string; newEmail: string };

export interface LinkToken {
  hash: string;
  grant: Grant;
  /** UNIX seconds; absent: it never expires. */
  expiresAt?: number | undefined;
}

const key = (hash: string): Key => ({ pk: `TOKEN#${hash}`, sk: "TOKEN" });

/** What a token grants; undefined where there is none, or none any more. Strongly consistent: 1 read unit. */
export async function findLinkToken(hash: string): Promise<LinkToken | undefined> {
  const found = await getItem<LinkToken>(key(hash), { consistent: true });
  // DynamoDB removes what has expired within days.
  return found && !hasExpired(found) ? found : undefined;
}

export const hasExpired = ({ expiresAt }: Pick<LinkToken, "expiresAt">): boolean =>
  expiresAt !== undefined && expiresAt <= Date.now() / 1000;

export const createLinkToken = (token: LinkToken): Write => create({ ...key(token.hash), ...token });

/** Belongs into the transaction of what the token grants, which fails where the token has been used or taken back. */
export const useLinkToken = (hash: string): Write => remove(key(hash), { exists: true });

/** The same of a token that may be used again. */
export const checkLinkToken = (hash: string): Write => check(key(hash), { exists: true });

/** Takes a token back, if it is still there. */
export const removeLinkToken = (hash: string): Write => remove(key(hash));
