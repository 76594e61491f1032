import { badRequest } from "../../shared/base/errors.ts";
import { int, optional, string } from "../../shared/base/schema/params.ts";
import { accessUserToManage, checkMayManageIfOwner } from "../../shared/core/users/access-user.ts";
import { deactivationEmail } from "../../shared/features/users/account-emails.ts";
import { findRemainingOwner } from "../../shared/features/users/changes.ts";
import { deactivatePerson, deactivationActions, erases } from "../../shared/features/users/deactivation.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/{user_id}",
    summary: "Deactivates a user and their bots. For administrators.",
    note: [
      "Only owners can deactivate or reactivate owners. If the only two owners deactivate each other at once, one of the requests is refused. The user's subscriptions end, and their invitations are revoked. Reactivation restores the user and the subscriptions, but not the bots; messages sent meanwhile to a channel with protected history stay hidden.",
      "`actions` come from a later feature level (459) and apply to the bots too. `delete_profile` renames the account to “Deleted user” and removes its picture, in the same transaction. A background job deletes the messages and their events, oldest first, including messages that were still being sent; reactivation does not stop the job. A channel is private if it is not public when the job runs.",
      "`erase`, which Zulip does not have, includes the other actions, and is also possible for a user who is deactivated already. A background job also replaces the email address and removes the values of profile fields, the status, the password, the second factor, the API key, links to identity providers and the directory, drafts, snippets, alert words, scheduled messages, reminders, devices, assistants' keys, navigation views, muted users and topics' policies, and what their bots store and how these reach their services. Clients get `realm_user` and `user_status` events. An erased user can be neither reactivated nor changed, and the directory does not see them. What others have written is not changed, also where it names or quotes the user; neither are reactions, exports, backups, and until they expire the records of assistants' calls, which have no text, and of the audit log.",
      "On deactivation and reactivation, clients get the new value of each permission setting that names the user, as `realm`, `stream` and `user_group` updates. `direct_members` never shows deactivated users; the parameter `old` is compared with the value that clients see.",
    ],
    caller: "user",
    params: {
      user_id: int(),
      actions: optional(deactivationActions),
      deactivation_notification_comment: optional(string({ max: 2000 })),
    },
    returns: {},
    needs: { realm },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "readWrite", sends: ["background-jobs", "mail"], mailFrom: true },
  },
  async ({ caller, params, realm }) => {
    const user = await accessUserToManage(caller, params.user_id, { deactivated: erases(params.actions) });
    checkMayManageIfOwner(caller, user);
    const remaining = findRemainingOwner(user, realm, () =>
      badRequest("Cannot deactivate the only organization owner"),
    );
    const comment = params.deactivation_notification_comment;
    await deactivatePerson(user, realm, remaining, {
      actions: params.actions,
      mail: comment === undefined ? undefined : deactivationEmail(user, realm, comment),
    });
  },
);
