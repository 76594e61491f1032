import { bool } from "../../shared/base/schema/params.ts";
import { setPicture } from "../../shared/core/organization/picture-actions.ts";
import { getSingleFile } from "../../shared/messaging/uploads/rules.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { uploadedFiles } from "../../shared/services/http/uploaded-files.ts";
import { storePicture } from "../../shared/services/pictures/actions.ts";
import { resizePictureJob } from "../../shared/services/pictures/jobs.ts";
import { checkUploadedPicture } from "../../shared/services/pictures/rules.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/logo",
    summary: "Sets the organization's logo for the light or dark theme to the image sent as multipart/form-data.",
    note: "PNG, JPEG, GIF or WebP of at most 4 MiB. An image that declares more than 40 million pixels, or an animation with more than 1,000 frames or more than 40 million pixels in all frames together, is refused (`Image size exceeds limit.`). If there is no logo (source `D`), the organization's icon is used.",
    caller: "admin",
    params: { night: bool() },
    returns: {},
    creates: "picture",
    uses: { table: "readWrite", files: "readWrite", sends: [resizePictureJob.queue] },
  },
  async ({ params, request }) => {
    const file = getSingleFile(await uploadedFiles(request));
    const contentType = checkUploadedPicture(file);
    await setPicture(params.night ? "nightLogo" : "logo", await storePicture("logo", file.content, contentType));
  },
);
