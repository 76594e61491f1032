import { badRequest, passwordAuthDisabled } from "../../base/errors.ts";
import { type Role, roles } from "../../base/schema/roles.ts";
import { channelsOfGroups } from "../../core/default-streams/groups.ts";
import { checkAddress } from "../../core/users/addresses.ts";
import { checkFullName, checkNameFree, freeName } from "../../core/users/names.ts";
import { checkPasswordStrength } from "../../core/users/password-strength.ts";
import { ownerSignIn } from "../../core/users/throttle.ts";
import { hashLinkToken } from "../../services/identity/link-tokens.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type ChangePart, joinParts } from "../../store/log/log.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { findInvitation, type Invitation } from "../../store/users/invitations.ts";
import { checkLinkToken, findLinkToken, useLinkToken } from "../../store/users/link-tokens.ts";
import { invitationRemoval } from "../invites/actions.ts";
import { admitUser, checkAddressFree } from "../users/admission.ts";
import { invalidLink } from "./form-checks.ts";

/** The permission to create an account, which the token of a sign-up link gives. */
export interface SignUpGrant {
  tokenHash: string;
  /** The verified or invited address; undefined if the new user enters one. */
  email?: string | undefined;
  invitation?: Invitation | undefined;
}

/** Returns what a link's token grants. All invalid tokens give the same error, a 404. Costs 1 to 2 read units. */
export async function accessSignUpGrant(token: string, realm: Realm): Promise<SignUpGrant> {
  const tokenHash = hashLinkToken(token);
  const grant = (await findLinkToken(tokenHash))?.grant;
  if (grant?.kind !== "invitation" && grant?.kind !== "join") throw invalidLink();
  const { invitationId } = grant;
  const invitation = invitationId === undefined ? undefined : await findInvitation(invitationId);
  if (invitationId !== undefined && !invitation) throw invalidLink();
  if (!invitation) checkInvitationNotRequired(realm);
  return { tokenHash, invitation, email: grant.kind === "join" ? grant.email : invitation?.email };
}

/** Refuses to create an account with a password where there are none. */
export function checkPasswordsEnabled({ settings }: Realm): void {
  if (!settings.password_auth_enabled) throw passwordAuthDisabled();
}

/** Refuses sign-up without an invitation if the organization requires one. */
export function checkInvitationNotRequired({ settings }: Realm): void {
  if (settings.invite_required) throw badRequest("You need an invitation to join this organization.");
}

export interface Newcomer {
  email: string;
  fullName: string;
  password: string;
  /** The names of the chosen default channel groups. */
  channelGroups: readonly string[];
  /** The address from which they sign up. */
  sourceIp: string;
}

/**
 * Creates the account and uses up the grant in the same transaction, so that concurrent requests create one account.
 * Returns the account's address. If the function dies, either nothing was created, or a job completes the new user's subscriptions and groups.
 */
export async function join(grant: SignUpGrant, newcomer: Newcomer, realm: Realm): Promise<string> {
  checkPasswordsEnabled(realm);
  const fullName = checkFullName(newcomer.fullName);
  await checkNameFree(fullName, realm);
  const email = await checkAddress(newcomer.email, realm);
  await checkAddressFree(email);
  await checkPasswordStrength(newcomer.password, [email, fullName], "The password is too weak.");
  const [groupChannelIds, signIn] = await Promise.all([
    channelsOfGroups(newcomer.channelGroups),
    ownerSignIn(email, newcomer.sourceIp),
  ]);
  const { user } = await admitUser(
    { email, fullName, password: newcomer.password, ...termsOf(grant.invitation, roles.member, groupChannelIds) },
    realm,
    () => joinParts(grantUseWrites(grant), { writes: [signIn] }),
  );
  return user.email;
}

/** Somebody whom an identity provider vouches for. */
interface ProviderNewcomer {
  /** The verified address. */
  email: string;
  identity: string;
  /** The names that the provider has for them, the best first; none need be one that is allowed here. */
  names: readonly string[];
  /** Their role without an invitation. */
  role: Role;
}

/** Like `join`, for somebody without a password. Without a grant, the caller has checked that none is needed. */
export async function joinByProvider(
  grant: SignUpGrant | undefined,
  { names, identity, role, ...newcomer }: ProviderNewcomer,
  realm: Realm,
): Promise<void> {
  const email = await checkAddress(newcomer.email, realm);
  const fullName = await freeName([...names, email.slice(0, email.lastIndexOf("@"))], email, realm);
  await admitUser(
    { email, fullName, identity, ...termsOf(grant?.invitation, role) },
    realm,
    grant && (() => grantUseWrites(grant)),
  );
}

/** What a new account gets: according to its invitation, or else the defaults. */
const termsOf = (invitation: Invitation | undefined, role: Role, channelIds: readonly number[] = []) => ({
  role: invitation?.role ?? role,
  channel_ids: [...new Set([...(invitation?.channelIds ?? []), ...channelIds])],
  with_defaults: invitation?.withDefaults ?? true,
  group_ids: invitation?.groupIds ?? [],
  welcome_text: invitation?.welcomeText,
  told_id: invitation?.notifies ? invitation.invitedBy : undefined,
});

/** The writes that use up the grant: deletes a mailed link, and checks that a reusable link still exists. */
function grantUseWrites({ tokenHash, email, invitation }: SignUpGrant): ChangePart {
  const { writes, events } =
    invitation?.email !== undefined
      ? invitationRemoval(invitation)
      : {
          writes: [
            ...(email === undefined ? [] : [useLinkToken(tokenHash)]),
            ...(invitation ? [checkLinkToken(invitation.tokenHash)] : []),
          ],
          events: [],
        };
  return { writes: writes.map((write) => withRefusal(write, invalidLink)), events };
}
