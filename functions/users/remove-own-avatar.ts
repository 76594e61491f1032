import { text } from "../../shared/base/schema/params.ts";
import { pictureUrl } from "../../shared/core/users/avatars.ts";
import { avatarChange, checkMayChangeAvatar } from "../../shared/features/users/avatar-actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
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
    const { change, user } = await avatarChange(caller.id);
    return { change, reply: { avatar_url: pictureUrl(user) } };
  },
);
