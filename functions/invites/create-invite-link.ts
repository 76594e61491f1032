import { linkUrl } from "../../shared/base/environment.ts";
import { nullable, optional, text, withNote } from "../../shared/base/schema/params.ts";
import { checkMayInvite } from "../../shared/features/invites/access.ts";
import { createInvitationLink } from "../../shared/features/invites/actions.ts";
import { channelIdsParam, invitationParams, toRequestedInvitation } from "../../shared/features/invites/params.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/invites/multiuse",
    summary: "Creates an invitation link that any number of people can use.",
    note: "The link's page asks for an email address and mails a link to it. On a server without mail, the page asks for the address, name and password at once, and says so if the address already has an account.",
    caller: "human",
    params: {
      ...invitationParams,
      stream_ids: withNote(
        optional(nullable(channelIdsParam())),
        "Channels to which people who accept are subscribed.",
      ),
    },
    returns: { invite_link: text() },
    needs: { realm },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    creates: "invitationLink",
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller, params, request, realm }) => {
    const requested = toRequestedInvitation(params);
    await checkMayInvite(caller, "create_multiuse_invite_group", requested, realm);
    const terms = {
      ...requested,
      expiresInMinutes: params.invite_expires_in_minutes,
      withDefaults: params.include_realm_default_subscriptions,
      notifies: true,
    };
    const { change, link } = await createInvitationLink(caller, terms, linkUrl(request.baseUrl));
    return { change, reply: { invite_link: link } };
  },
);
