import { linkUrl } from "../../shared/base/environment.ts";
import { list } from "../../shared/base/schema/params.ts";
import { linkOf } from "../../shared/features/invites/links.ts";
import { inviteObject } from "../../shared/features/invites/params.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { trailingItems } from "../../shared/services/http/reply-size.ts";
import { checkNotGuest } from "../../shared/services/identity/access.ts";
import { isAdministrator } from "../../shared/services/identity/caller.ts";
import { listInvitations, listInvitationsBy } from "../../shared/store/users/invitations.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/invites",
    summary: "Lists the invitations that have not been accepted: all of them for administrators, their own for others.",
    caller: "human",
    params: {},
    returns: { invites: list(inviteObject) },
    uses: { table: "read", secret: true },
  },
  async ({ caller, request }) => {
    checkNotGuest(caller);
    const invitations = await (isAdministrator(caller) ? listInvitations() : listInvitationsBy(caller.id));
    const url = linkUrl(request.baseUrl);
    const invites = await Promise.all(
      invitations.map(async (invitation) => ({
        id: invitation.id,
        invited_by_user_id: invitation.invitedBy,
        invited: invitation.invitedAt,
        expiry_date: invitation.expiresAt ?? null,
        invited_as: invitation.role,
        is_multiuse: invitation.email === undefined,
        ...(invitation.email === undefined
          ? { link_url: await linkOf(invitation, url) }
          : { email: invitation.email, notify_referrer_on_join: invitation.notifies }),
      })),
    );
    return { invites: trailingItems(invites) };
  },
);
