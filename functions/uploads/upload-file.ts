import { text } from "../../shared/base/schema/params.ts";
import { addUpload } from "../../shared/messaging/uploads/actions.ts";
import { makePreviewsJob } from "../../shared/messaging/uploads/jobs.ts";
import { checkDirectUploadSize, getSingleFile, uploadQuotaBytes } from "../../shared/messaging/uploads/rules.ts";
import { uploadUrl } from "../../shared/messaging/uploads/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { receivedFiles } from "../../shared/services/http/uploaded-files.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_uploads",
    summary: "Uploads one file as multipart/form-data, to link to in messages. Larger files need a presigned upload.",
    note: [
      "On Lambda, a file has at most 4,400,000 bytes; the reply to a larger one is 413, possibly from the gateway. On one machine and with `npm run serve`, the limit is 100 MiB. In the reply of `POST /register`, `max_file_upload_size_mib` is the limit of the host that answers, and `max_presigned_file_upload_size_mib` is that of `POST /user_uploads/presigned`.",
      "A file is removed four weeks after its upload, or after an edit that removed its last link, unless a message links to it. When the last message that links to it is deleted, it is gone at once, and its content within an hour or so.",
    ],
    caller: "user",
    params: {},
    needs: { realm },
    takesFile: true,
    streamsFile: true,
    returns: { url: text(), uri: text(), filename: text() },
    creates: "upload",
    uses: { table: "readWrite", files: "readWrite", sends: [makePreviewsJob.queue] },
  },
  async ({ caller, request, realm }) => {
    const file = getSingleFile(await receivedFiles(request));
    checkDirectUploadSize(file.size);
    const upload = await addUpload(caller.id, file, uploadQuotaBytes(realm));
    return { url: uploadUrl(upload), uri: uploadUrl(upload), filename: upload.name };
  },
);
