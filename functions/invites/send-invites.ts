import { linkUrl } from "../../shared/environment.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { checkMayInvite } from "../../shared/invites/access.ts";
import { invite } from "../../shared/invites/actions.ts";
import {
  checkAddressesIn,
  checkInvitees,
  checkNobodySkipped,
  checkNotNewcomer,
} from "../../shared/invites/addresses.ts";
import { channelIdsParam, invitationParams, toRequestedInvitation } from "../../shared/invites/params.ts";
import { checkMailEnabled } from "../../shared/mail/check.ts";
import { realm } from "../../shared/organization/access.ts";
import { bool, text, withDefault, withNote } from "../../shared/schema/params.ts";
import { accessUser } from "../../shared/users/access-user.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/invites",
    summary: "Invites people by email.",
    note: [
      "At most 100 in a UTC day for the whole organization; resending counts. People who joined by themselves may invite after three days, or as administrators.",
      "At most five mails with links of a kind to an address in a UTC day, and 120 requested from one network in an hour. Sign-ups, sign-ups by an invitation link, invitations, password resets, password resets by administrators, and changes of address are kinds of their own. Beyond that, people who invite, administrators and people who change their address get an error; pages reply as ever.",
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
