import { endpoint } from "../../shared/http/endpoint.ts";
import { uploadedFiles } from "../../shared/http/uploaded-files.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { text } from "../../shared/schema/params.ts";
import { addUpload } from "../../shared/uploads/actions.ts";
import { makePreviewsJob } from "../../shared/uploads/jobs.ts";
import { checkDirectUploadSize, getSingleFile, uploadQuotaBytes } from "../../shared/uploads/rules.ts";
import { uploadUrl } from "../../shared/uploads/wire.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_uploads",
    summary: "Uploads one file as multipart/form-data, to link to in messages. Larger files need a presigned upload.",
    caller: "user",
    params: {},
    prefetch: accessRealm,
    takesFile: true,
    returns: { url: text(), uri: text(), filename: text() },
    uses: { table: "readWrite", files: "readWrite", sends: [makePreviewsJob.queue] },
  },
  async ({ caller, request }) => {
    const file = getSingleFile(await uploadedFiles(request));
    checkDirectUploadSize(file.content.length);
    const upload = await addUpload(caller.id, file, uploadQuotaBytes(await accessRealm()));
    return { url: uploadUrl(upload), uri: uploadUrl(upload), filename: upload.name };
  },
);
