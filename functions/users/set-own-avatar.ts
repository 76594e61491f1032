import { text } from "../../shared/base/schema/params.ts";
import { pictureUrl } from "../../shared/core/users/avatars.ts";
import { checkMayChangeAvatar, setAvatar } from "../../shared/features/users/avatar-actions.ts";
import { getSingleFile } from "../../shared/messaging/uploads/rules.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { uploadedFiles } from "../../shared/services/http/uploaded-files.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { storePicture } from "../../shared/services/pictures/actions.ts";
import { resizePictureJob } from "../../shared/services/pictures/jobs.ts";
import { checkUploadedPicture } from "../../shared/services/pictures/rules.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/avatar",
    summary: "Sets the caller's avatar to the image sent as multipart/form-data.",
    note: "PNG, JPEG, GIF or WebP of at most 4 MiB. An image that declares more than 40 million pixels, or an animation with more than 1,000 frames or more than 40 million pixels in all frames together, is refused (`Image size exceeds limit.`).",
    caller: "user",
    params: {},
    needs: { realm },
    takesFile: true,
    returns: { avatar_url: text() },
    creates: "picture",
    uses: { table: "readWrite", files: "readWrite", sends: [resizePictureJob.queue] },
  },
  async ({ caller, request, realm }) => {
    const file = getSingleFile(await uploadedFiles(request));
    checkMayChangeAvatar(caller, realm);
    const contentType = checkUploadedPicture(file);
    const user = await setAvatar(caller.id, await storePicture("avatar", file.content, contentType));
    return { avatar_url: pictureUrl(user) };
  },
);
