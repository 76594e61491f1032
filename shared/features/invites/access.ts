import { ApiError, badRequest, insufficientPermission, unauthorizedPrincipal } from "../../base/errors.ts";
import { ownerRole, type Role, roles } from "../../base/schema/roles.ts";
import { accessChannelContent } from "../../core/channels/channel-access.ts";
import { mayAddSubscribers } from "../../core/channels/rules.ts";
import { accessGroupToChange, groupIsDeactivated, mayAddMembers } from "../../core/user-groups/permissions.ts";
import { checkNotGuest } from "../../services/identity/access.ts";
import { type Caller, isAdministrator, isOwner } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { hasPermission } from "../../services/permissions/access.ts";
import { findInvitation, type Invitation } from "../../store/users/invitations.ts";

/** Who may invite whom, and to what. */

/** What a requested invitation grants to people who accept it. */
export interface RequestedInvitation {
  role: Role;
  channelIds: readonly number[];
  groupIds: readonly number[];
  welcomeText: string | undefined;
}

/** Refuses callers who may not send this kind of invitation, or who may not grant its role, channels or groups. */
export async function checkMayInvite(
  caller: Caller,
  permission: "can_invite_users_group" | "create_multiuse_invite_group",
  { role, channelIds, groupIds, welcomeText }: RequestedInvitation,
  realm: Realm,
): Promise<void> {
  checkNotGuest(caller);
  if (!(await hasPermission(caller, realm.settings[permission], realm.settings))) throw insufficientPermission();
  checkMayGiveRole(caller, role);
  await checkChannels(caller, channelIds, realm);
  await checkGroups(caller, groupIds, realm);
  if (welcomeText !== undefined && !isAdministrator(caller)) throw unauthorizedPrincipal("administrator");
}

/** Anyone who may invite may invite members and guests; only owners may invite owners. */
function checkMayGiveRole(caller: Caller, role: Role): void {
  if (role === ownerRole && !isOwner(caller)) throw unauthorizedPrincipal("owner");
  if (role < roles.member && !isAdministrator(caller)) throw unauthorizedPrincipal("administrator");
}

/** Inviting to a channel requires permission to add subscribers to it, except to default channels. */
async function checkChannels(caller: Caller, ids: readonly number[], realm: Realm): Promise<void> {
  if (ids.length === 0) return;
  const mayAddEverywhere = await hasPermission(caller, realm.settings.can_add_subscribers_group, realm.settings);
  for (const id of new Set(ids)) {
    const invalid = badRequest(`Invalid channel ID ${id}. No invites were sent.`);
    const access = await accessChannelContent(caller, id, realm).catch((error: unknown) => {
      throw error instanceof ApiError ? invalid : error;
    });
    if (access.channel.isArchived) throw invalid;
    if (!access.channel.isDefault && !mayAddSubscribers(access, mayAddEverywhere))
      throw badRequest("You do not have permission to subscribe other users to channels.");
  }
}

/** A user ID that is not the caller's, to check the permission to add other users. */
const somebodyElse = -1;

async function checkGroups(caller: Caller, ids: readonly number[], realm: Realm): Promise<void> {
  for (const id of new Set(ids)) {
    const groupAccess = await accessGroupToChange(caller, id, realm);
    if (!mayAddMembers(groupAccess, [somebodyElse])) throw insufficientPermission();
    if (groupAccess.group.deactivated) throw groupIsDeactivated();
  }
}

/** Returns an invitation that the caller may revoke or resend: their own, or for administrators any. */
export async function accessInvitation(caller: Caller, id: number, kind: "mail" | "link"): Promise<Invitation> {
  checkNotGuest(caller);
  const invitation = await findInvitation(id);
  if (!invitation || (invitation.email === undefined) !== (kind === "link")) throw noSuchInvitation();
  if (invitation.invitedBy !== caller.id) {
    if (invitation.role === ownerRole && !isOwner(caller)) throw unauthorizedPrincipal("owner");
    if (!isAdministrator(caller)) throw unauthorizedPrincipal("administrator");
  }
  return invitation;
}

export const noSuchInvitation = () => badRequest("No such invitation");
