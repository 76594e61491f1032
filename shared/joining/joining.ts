import { channelsOfGroups } from "../default-streams/groups.ts";
import { badRequest, passwordAuthDisabled } from "../errors.ts";
import { hashLinkToken } from "../identity/link-tokens.ts";
import { invitationRemoval } from "../invites/actions.ts";
import type { Realm } from "../organization/access.ts";
import { roles } from "../schema/roles.ts";
import { orElse } from "../store/table/writes.ts";
import { findInvitation, type Invitation } from "../store/users/invitations.ts";
import { checkLinkToken, findLinkToken, useLinkToken } from "../store/users/link-tokens.ts";
import { checkAddress } from "../users/addresses.ts";
import { admitUser, checkAddressFree } from "../users/manage/admission.ts";
import type { ExtraWrites } from "../users/manage/create.ts";
import { checkFullName, checkNameFree } from "../users/names.ts";
import { checkPasswordStrength } from "../users/password-strength.ts";
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
  if (!realm.settings.password_auth_enabled) throw passwordAuthDisabled();
  const tokenHash = hashLinkToken(token);
  const grant = (await findLinkToken(tokenHash))?.grant;
  if (grant?.kind !== "invitation" && grant?.kind !== "join") throw invalidLink();
  const { invitationId } = grant;
  const invitation = invitationId === undefined ? undefined : await findInvitation(invitationId);
  if (invitationId !== undefined && !invitation) throw invalidLink();
  if (!invitation) checkInvitationNotRequired(realm);
  return { tokenHash, invitation, email: grant.kind === "join" ? grant.email : invitation?.email };
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
}

/**
 * Creates the account and uses up the grant in the same transaction, so that concurrent requests create one account.
 * If the function dies, either nothing was created, or a job completes the new user's subscriptions and groups.
 */
export async function join(
  grant: SignUpGrant,
  newcomer: Newcomer,
  realm: Realm,
): Promise<{ email: string; apiKey: string }> {
  const fullName = checkFullName(newcomer.fullName);
  await checkNameFree(fullName, realm);
  const email = await checkAddress(newcomer.email, realm);
  await checkAddressFree(email);
  await checkPasswordStrength(newcomer.password, [email, fullName], "The password is too weak.");
  const groupChannelIds = await channelsOfGroups(newcomer.channelGroups);
  const { invitation } = grant;
  const { user, apiKey } = await admitUser(
    {
      ...{ email, fullName, password: newcomer.password, role: invitation?.role ?? roles.member },
      channel_ids: [...new Set([...(invitation?.channelIds ?? []), ...groupChannelIds])],
      with_defaults: invitation?.withDefaults ?? true,
      group_ids: invitation?.groupIds ?? [],
      welcome_text: invitation?.welcomeText,
      told_id: invitation?.notifies ? invitation.invitedBy : undefined,
    },
    realm,
    grantUseWrites(grant),
  );
  return { email: user.email, apiKey };
}

/** The writes that use up the grant: deletes a mailed link, and checks that a reusable link still exists. */
function grantUseWrites({ tokenHash, email, invitation }: SignUpGrant): ExtraWrites {
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
  return { writes: writes.map((write) => orElse(write, invalidLink)), events };
}
