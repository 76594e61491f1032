import { linkUrl } from "../../shared/base/environment.ts";
import { bool, text, withDefault, withNote } from "../../shared/base/schema/params.ts";
import { accessUser } from "../../shared/core/users/access-user.ts";
import { checkMayInvite } from "../../shared/features/invites/access.ts";
import { invite } from "../../shared/features/invites/actions.ts";
import {
  checkAddressesIn,
  checkInvitees,
  checkNobodySkipped,
  checkNotNewcomer,
} from "../../shared/features/invites/addresses.ts";
import { channelIdsParam, invitationParams, toRequestedInvitation } from "../../shared/features/invites/params.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkMailEnabled } from "../../shared/services/mail/check.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/invites",
    summary: "Invites people by email.",
    note: [
      "The whole organization may send at most 100 invitations in a UTC day; resending counts. If the organization requires no invitation to join, people may invite three days after they joined, administrators at once.",
      "An address gets at most five mails with links of one kind in a UTC day. The kinds are sign-ups, sign-ups by an invitation link, invitations, password resets, password resets by administrators, and changes of address. Beyond that, people who invite, administrators and people who change their address get an error, while pages reply as usual. One network may request at most 120 mails in an hour through the pages.",
    ],
    caller: "human",
    params: {
      ...invitationParams,
      invitee_emails: withNote(text(), "Addresses, separated by commas or line breaks."),
      notify_referrer_on_join: withNote(
        withDefault(bool(), true),
        "Whether the caller is notified when an invited person joins.",
      ),
      stream_ids: withNote(channelIdsParam(), "Channels to which people who accept are subscribed."),
    },
    returns: {},
    needs: { realm },
    errors: ["INVITATION_FAILED", "UNAUTHORIZED_PRINCIPAL"],
    creates: "invitation",
    uses: { table: "readWrite", secret: true, sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request, realm }) => {
    const requested = toRequestedInvitation(params);
    await checkMayInvite(caller, "can_invite_users_group", requested, realm);
    const addresses = checkAddressesIn(params.invitee_emails);
    checkMailEnabled("create an invitation link instead.");
    checkNotNewcomer(caller, realm);
    const { invited, skipped } = await checkInvitees(addresses, realm);
    const terms = {
      ...requested,
      expiresInMinutes: params.invite_expires_in_minutes,
      withDefaults: params.include_realm_default_subscriptions,
      notifies: params.notify_referrer_on_join,
    };
    const inviter = await accessUser(caller.id);
    const invitedTooOften = await invite(inviter, invited, terms, realm, linkUrl(request.baseUrl));
    checkNobodySkipped([...skipped, ...invitedTooOften]);
  },
);
