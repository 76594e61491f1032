import { endpoint } from "../../shared/http/endpoint.ts";
import { text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { changeAvatar, checkMayChangeAvatar } from "../../shared/users/avatar-actions.ts";
import { pictureUrl } from "../../shared/users/avatars.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/avatar",
    summary: "Takes the caller's picture away; their gravatar is shown again.",
    caller: "user",
    params: {},
    returns: { avatar_url: text() },
    uses: { table: "readWrite" },
  },
  async ({ caller }) => {
    checkMayChangeAvatar(caller, await accessRealm());
    return { avatar_url: pictureUrl(await changeAvatar(caller.id, undefined)) };
  },
);
