import { text } from "../../shared/base/schema/params.ts";
import { setPicture } from "../../shared/core/organization/picture-actions.ts";
import { getSingleFile } from "../../shared/messaging/uploads/rules.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { uploadedFiles } from "../../shared/services/http/uploaded-files.ts";
import { iconData } from "../../shared/services/organization/pictures.ts";
import { storePicture } from "../../shared/services/pictures/actions.ts";
import { resizePictureJob } from "../../shared/services/pictures/jobs.ts";
import { checkUploadedPicture } from "../../shared/services/pictures/rules.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/icon",
    summary: "Sets the organization's icon to the image sent as multipart/form-data.",
    note: "PNG, JPEG, GIF or WebP of at most 4 MiB. An image that declares more than 40 million pixels, or an animation with more than 1,000 frames or more than 40 million pixels in all frames together, is refused (`Image size exceeds limit.`).",
    caller: "admin",
    params: {},
    takesFile: true,
    returns: { icon_url: text() },
    creates: "picture",
    uses: { table: "readWrite", files: "readWrite", sends: [resizePictureJob.queue] },
  },
  async ({ request }) => {
    const file = getSingleFile(await uploadedFiles(request));
    const contentType = checkUploadedPicture(file);
    const stored = await storePicture("icon", file.content, contentType);
    return { icon_url: iconData(await setPicture("icon", stored)).icon_url };
  },
);
