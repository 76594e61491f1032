import { text } from "../../shared/base/schema/params.ts";
import { pictureUrl } from "../../shared/core/users/avatars.ts";
import { changeAvatar, checkMayChangeAvatar } from "../../shared/features/users/avatar-actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/avatar",
    summary: "Removes the caller's avatar and shows their gravatar again.",
    caller: "user",
    params: {},
    returns: { avatar_url: text() },
    needs: { realm },
    uses: { table: "readWrite" },
  },
  async ({ caller, realm }) => {
    checkMayChangeAvatar(caller, realm);
    return { avatar_url: pictureUrl(await changeAvatar(caller.id, undefined)) };
  },
);
