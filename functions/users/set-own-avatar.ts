import { endpoint } from "../../shared/http/endpoint.ts";
import { uploadedFiles } from "../../shared/http/uploaded-files.ts";
import { realm } from "../../shared/organization/access.ts";
import { storePicture } from "../../shared/pictures/actions.ts";
import { resizePictureJob } from "../../shared/pictures/jobs.ts";
import { checkUploadedPicture } from "../../shared/pictures/rules.ts";
import { text } from "../../shared/schema/params.ts";
import { getSingleFile } from "../../shared/uploads/rules.ts";
import { pictureUrl } from "../../shared/users/avatars.ts";
import { changeAvatar, checkMayChangeAvatar } from "../../shared/users/manage/avatar-actions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/avatar",
    summary: "Sets the caller's avatar to the image sent as multipart/form-data.",
    note: "PNG, JPEG, GIF or WebP of at most 4 MiB. One that declares more than 40 million pixels, or an animation of more than 1,000 frames or more than 40 million pixels in all of them, is refused (`Image size exceeds limit.`).",
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
    const user = await changeAvatar(caller.id, await storePicture("avatar", file.content, contentType));
    return { avatar_url: pictureUrl(user) };
  },
);
