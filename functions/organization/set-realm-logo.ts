import { endpoint } from "../../shared/http/endpoint.ts";
import { uploadedFiles } from "../../shared/http/uploaded-files.ts";
import { changePicture } from "../../shared/organization/manage/picture-actions.ts";
import { storePicture } from "../../shared/pictures/actions.ts";
import { resizePictureJob } from "../../shared/pictures/jobs.ts";
import { checkUploadedPicture } from "../../shared/pictures/rules.ts";
import { bool } from "../../shared/schema/params.ts";
import { getSingleFile } from "../../shared/uploads/rules.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/logo",
    summary: "Sets the organization's logo for the light or dark theme to the image sent as multipart/form-data.",
    caller: "admin",
    params: { night: bool() },
    returns: {},
    uses: { table: "readWrite", files: "readWrite", sends: [resizePictureJob.queue] },
  },
  async ({ params, request }) => {
    const file = getSingleFile(await uploadedFiles(request));
    const contentType = checkUploadedPicture(file);
    await changePicture(params.night ? "nightLogo" : "logo", await storePicture("logo", file.content, contentType));
  },
);
