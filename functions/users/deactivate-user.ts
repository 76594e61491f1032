import { badRequest } from "../../shared/base/errors.ts";
import { int, optional, string } from "../../shared/base/schema/params.ts";
import { accessUserToManage, checkMayManageIfOwner } from "../../shared/core/users/access-user.ts";
import { deactivationEmail } from "../../shared/features/users/account-emails.ts";
import { findRemainingOwner } from "../../shared/features/users/changes.ts";
import { deactivatePerson, deactivationActions } from "../../shared/features/users/deactivation.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/{user_id}",
    summary: "Deactivates a user and their bots. For administrators.",
    note: [
      "Only owners deactivate or reactivate owners, and of two who act on each other at once one is refused. Subscriptions end, invitations are revoked. Reactivating restores the person and the subscriptions, not the bots; what was sent meanwhile to a channel with protected history stays hidden.",
      "`actions`, an addition of a later feature level (459), apply to the bots too. `delete_profile` renames the account to “Deleted user” and removes its picture, in the same transaction. Messages are deleted by a background job, oldest first, with their events, and so is what was still being sent; reactivating does not end the job. Private channels are those that are not public now.",
      "Clients get the new value of each permission setting that names the user, as `realm`, `stream` and `user_group` updates, also when the user is reactivated. `direct_members` never shows deactivated users; the parameter `old` is compared with what is shown.",
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
    const user = await accessUserToManage(caller, params.user_id);
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
