import { getItem } from "../table/reads.ts";
import { check, create, type Key, remove, type Write } from "../table/writes.ts";

/** What the holder of an e-mailed or shared link may do. */
export type Grant =
  /** Accept an invitation. */
  | { kind: "invitation"; invitationId: number }
  /** Create an account for a verified e-mail address, according to the invitation if there is one. */
  | { kind: "join"; email: string; invitationId?: number | undefined }
  /** Choose a new password, as long as the password has this hash. */
  | (AccountGrant & { kind: "password-reset"; passwordMark: string })
  /** Get an account's API key, after signing in by an identity provider. */
  | (AccountGrant & { kind: "sign-in" })
  /** Change an account's address. */
  | (AccountGrant & { kind: "email-change"; newEmail: string });

/** Holds as long as the account has this address and API key, which it loses when it is given to somebody else. */
interface AccountGrant {
  userId: number;
  email: string;
  keyHash: string;
}

/** Whether the account is still the one that a link is about. */
export const isAccountOf = <A extends AccountGrant>(account: A | undefined, grant: AccountGrant): account is A =>
  account?.userId === grant.userId && account.email === grant.email && account.keyHash === grant.keyHash;

interface LinkToken {
  /** The hash of the token in the link. The token itself is not stored. */
  hash: string;
  grant: Grant;
  /** UNIX seconds; absent: it never expires. */
  expiresAt?: number | undefined;
}

const key = (hash: string): Key => ({ pk: `TOKEN#${hash}`, sk: "TOKEN" });

/** Undefined when the token does not exist or has expired. 1 read unit. */
export async function findLinkToken(hash: string): Promise<LinkToken | undefined> {
  const found = await getItem<LinkToken>(key(hash));
  // DynamoDB may take days to delete expired items.
  return found && !hasExpired(found) ? found : undefined;
}

export const hasExpired = ({ expiresAt }: Pick<LinkToken, "expiresAt">): boolean =>
  expiresAt !== undefined && expiresAt <= Date.now() / 1000;

export const createLinkToken = (token: LinkToken): Write => create({ ...key(token.hash), ...token });

/** Must be part of the transaction that the token allows, which then fails if the token has been used or revoked. */
export const useLinkToken = (hash: string): Write => remove(key(hash), { exists: true });

/** The counterpart of `useLinkToken` for a reusable token. */
export const checkLinkToken = (hash: string): Write => check(key(hash), { exists: true });

/** Revokes a token. Idempotent. */
export const deleteLinkToken = (hash: string): Write => remove(key(hash));
