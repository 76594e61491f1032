import { isMailEnabled } from "../../base/environment.ts";
import { badRequest, realmDeactivated, userDeactivated } from "../../base/errors.ts";
import { roles } from "../../base/schema/roles.ts";
import { newApiKey } from "../../services/identity/api-keys.ts";
import { hashLinkToken } from "../../services/identity/link-tokens.ts";
import { type IdentityProvider, identityProviders } from "../../services/identity/providers.ts";
import type { Realm } from "../../services/organization/access.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { bumpKeysVersion } from "../../store/organization/organization.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { ConditionFailed, transact } from "../../store/table/transactions.ts";
import { type Account, findAccount, updateAccount } from "../../store/users/accounts.ts";
import { createIdentity, deleteIdentity, findIdentity, identityOf } from "../../store/users/identities.ts";
import { listInvitationsTo } from "../../store/users/invitations.ts";
import { findLinkToken, isAccountOf, useLinkToken } from "../../store/users/link-tokens.ts";
import { findUsers } from "../../store/users/users.ts";
import { accessSignUpGrant, checkInvitationNotRequired, joinByProvider, type SignUpGrant } from "../joining/joining.ts";
import { accountLinkedEmail } from "../users/account-emails.ts";
import type { Claims } from "./claims.ts";
import { applyGroups, roleByGroups } from "./groups.ts";

/**
 * The account of somebody who has signed in at a provider: the one that is bound to that identity, or else the one with their
 * verified address, which is bound to it from now on, or else a new one. An address that the provider has not verified finds
 * nothing and makes nothing. In any case, the person's groups at the provider are applied.
 */
export async function signInByProvider(
  provider: IdentityProvider,
  claims: Claims,
  realm: Realm,
  invitationToken: string | undefined,
): Promise<Account> {
  return applyGroups(provider, await findOrMakeAccount(provider, claims, realm, invitationToken), claims, realm);
}

const findOrMakeAccount = (
  provider: IdentityProvider,
  claims: Claims,
  realm: Realm,
  invitationToken: string | undefined,
): Promise<Account> =>
  retryOnConflict(async () => {
    const identity = identityOf(claims.issuer, claims.subject);
    const bound = await findBoundAccount(identity);
    if (bound) return checkedAccount(bound);
    const email = verifiedAddress(provider, claims);
    const account = await findAccount(email);
    if (account) return bindAccount(provider, checkedAccount(account), identity, realm);
    try {
      await join(provider, claims, email, identity, realm, invitationToken);
    } catch (error) {
      // The same person may have joined meanwhile, in another window.
      if (await findAccount(email)) throw new ConditionFailed();
      throw error;
    }
    const joined = await findAccount(email);
    if (!joined) throw new Error("The account was not created");
    return joined;
  });

/** The account of a sign-in's token, which is used up. Throws if it has been used or has expired. */
export async function redeemSignInToken(token: string): Promise<Account> {
  const tokenHash = hashLinkToken(token);
  const grant = (await findLinkToken(tokenHash))?.grant;
  const account = grant?.kind === "sign-in" ? await findAccount(grant.email) : undefined;
  if (grant?.kind !== "sign-in" || !isAccountOf(account, grant)) throw invalidToken();
  await transact([useLinkToken(tokenHash)], { refusal: invalidToken });
  return checkedAccount(account);
}

const invalidToken = () => badRequest("This code has been used already, or has expired. Please sign in again.");

/** 3 read units; 1 if the identity is unknown. Throws ConditionFailed if the account has moved to another address meanwhile. */
export async function findBoundAccount(identity: string): Promise<Account | undefined> {
  const userId = await findIdentity(identity);
  const [user] = userId === undefined ? [] : await findUsers([userId]);
  if (!user) return undefined;
  const account = await findAccount(user.email);
  if (!account || account.userId !== userId) throw new ConditionFailed();
  return account.identity === identity ? account : undefined;
}

function checkedAccount(account: Account): Account {
  if (account.botType !== undefined) throw badRequest("This is the address of a bot, which cannot sign in.");
  if (!account.active) throw userDeactivated();
  if (account.realmDeactivated) throw realmDeactivated();
  return account;
}

/**
 * The address by which an identity may find or make an account. Only ASCII: other letters may look the same, or become the same
 * when an address is compared ignoring case, as the Kelvin sign becomes a "k".
 */
function verifiedAddress({ name, domains }: IdentityProvider, { email, emailVerified }: Claims): string {
  if (email === undefined)
    throw badRequest(
      `${name} has not told us your email address, which is needed when you sign in for the first time.`,
    );
  if (!emailVerified)
    throw badRequest(
      `${name} does not say that it has verified your email address, which is needed when you sign in for the first time.`,
    );
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (!/^[\x21-\x7e]+@[\x21-\x7e]+$/.test(email) || (domains && !domains.includes(domain)))
    throw badRequest(`You cannot sign in as ${email} with ${name}.`);
  return email;
}

/**
 * Binds an existing account to an identity, and tells its owner by mail; without mail, ends whatever else gives access to it. 3 to
 * 7 write units.
 */
async function bindAccount(
  provider: IdentityProvider,
  account: Account,
  identity: string,
  realm: Realm,
): Promise<Account> {
  const { userId, email, identity: former, secondFactor } = account;
  // Otherwise the weakest of several providers would decide about every account.
  if (former !== undefined && isOfConfiguredProvider(former))
    throw badRequest(
      `The account with your address belongs to another identity, so you cannot use it with ${provider.name}. Sign in the way you did before.`,
    );
  // The provider may ask for less than the factor that the owner has set up here. Identities that are bound already stay.
  if (account.secondFactor !== undefined)
    throw badRequest(
      `The account with your address has a second factor, so it cannot be linked to ${provider.name} like this. Sign in with your password and a code, and turn the second factor off in your settings, or ask an administrator to remove it; then sign in with ${provider.name}.`,
    );
  const [user] = await findUsers([account.userId]);
  const mail = user && accountLinkedEmail(user, provider.name, realm);
  // Where there is no mail, an address need not be that of whoever made the account, and its owner cannot be told.
  const newKey = isMailEnabled() ? undefined : await newApiKey();
  const kept = newKey
    ? { set: { identity, keySalt: newKey.keySalt, keyHash: newKey.keyHash }, remove: ["passwordHash", "sessions"] }
    : { set: { identity } };
  const writes = [
    createIdentity(identity, userId),
    ...(former === undefined ? [] : [deleteIdentity(former)]),
    updateAccount(email, kept, { userId, active: true, identity: former, secondFactor } as Partial<Account>),
    auditRecord("identity_linked", { userId, after: { provider: provider.name } }),
    ...(newKey ? [bumpKeysVersion(), auditRecord("api_key_changed", { userId })] : []),
  ];
  await transact(writes, { followUps: mail ? [mail] : [] });
  return { ...account, ...kept.set };
}

const isOfConfiguredProvider = (identity: string): boolean => {
  const issuer = URL.parse(identity.split(" ")[0] ?? "")?.href;
  return identityProviders().some((provider) => new URL(provider.issuer).href === issuer);
};

/** Creates an account, by the invitation if there is one, and otherwise if the organization admits people without. */
async function join(
  provider: IdentityProvider,
  claims: Claims,
  email: string,
  identity: string,
  realm: Realm,
  invitationToken: string | undefined,
): Promise<void> {
  if (!provider.join)
    throw badRequest(`There is no account with the address ${email}. Ask your administrators to create one.`);
  const grant = await findGrant(email, realm, invitationToken);
  const role = roleByGroups(provider, claims) ?? roles[provider.role];
  await joinByProvider(grant, { email, names: claims.names, identity, role }, realm);
}

/** The invitation of the link from which the sign-in was begun, or one that was mailed to the address; undefined: none is needed. */
async function findGrant(
  email: string,
  realm: Realm,
  invitationToken: string | undefined,
): Promise<SignUpGrant | undefined> {
  const linked = invitationToken === undefined ? undefined : await accessSignUpGrant(invitationToken, realm);
  if (linked?.email !== undefined && linked.email.toLowerCase() !== email.toLowerCase())
    throw badRequest(`The invitation is for ${linked.email}, but you have signed in as ${email}.`);
  if (linked) return linked;
  const [invitation] = await listInvitationsTo(email);
  if (invitation) return { tokenHash: invitation.tokenHash, email, invitation };
  checkInvitationNotRequired(realm);
  return undefined;
}
