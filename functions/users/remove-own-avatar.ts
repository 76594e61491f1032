import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { text } from "../../shared/schema/params.ts";
import { pictureUrl } from "../../shared/users/avatars.ts";
import { changeAvatar, checkMayChangeAvatar } from "../../shared/users/manage/avatar-actions.ts";

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
