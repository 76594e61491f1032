import { checkAddress } from "../../core/users/addresses.ts";
import { hashLinkToken } from "../../services/identity/link-tokens.ts";
import type { Realm } from "../../services/organization/access.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { findLinkToken, isAccountOf, useLinkToken } from "../../store/users/link-tokens.ts";
import { changeEmail } from "../users/changes.ts";
import { invalidLink } from "./form-checks.ts";

/** A link that confirms an account's new email address. */
interface AddressChange {
  tokenHash: string;
  userId: number;
  newEmail: string;
}

/**
 * Returns the address change of a link's token. Throws if the token is invalid, or if the account's address or API key has changed
 * since.
 */
export async function accessAddressChange(token: string): Promise<AddressChange> {
  const tokenHash = hashLinkToken(token);
  const grant = (await findLinkToken(tokenHash))?.grant;
  if (grant?.kind !== "email-change") throw invalidLink();
  const account = await findAccount(grant.email);
  if (!account?.active || !isAccountOf(account, grant)) throw invalidLink();
  return { tokenHash, userId: grant.userId, newEmail: grant.newEmail };
}

/** Changes the account's address and deletes the link, in one transaction. Throws if the link was used meanwhile. */
export async function confirmAddress({ tokenHash, userId, newEmail }: AddressChange, realm: Realm): Promise<void> {
  const email = await checkAddress(newEmail, realm);
  await changeEmail(userId, email, realm, [withRefusal(useLinkToken(tokenHash), invalidLink)]);
}
