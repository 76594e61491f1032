import { linkUrl } from "../../shared/base/environment.ts";
import { int, optional, text, withNote } from "../../shared/base/schema/params.ts";
import { accessUserToManage, checkMayManageIfOwner } from "../../shared/core/users/access-user.ts";
import { mailOrReturnResetLink } from "../../shared/features/joining/mails.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/{user_id}/password_reset",
    summary: "Emails a user a password reset link. For administrators; only owners can do so for owners.",
    note: "Returns the link if the server sends no email.",
    caller: "admin",
    params: { user_id: int() },
    returns: {
      reset_link: withNote(
        optional(text()),
        "The link, if the server sends no email. It is valid for one day and can be used once.",
      ),
    },
    creates: "mailedLink",
    uses: { table: "readWrite", sends: ["mail"], mailFrom: true },
  },
  async ({ caller, params, request }) => {
    const user = await accessUserToManage(caller, params.user_id);
    checkMayManageIfOwner(caller, user);
    return mailOrReturnResetLink(user, linkUrl(request.baseUrl));
  },
);
