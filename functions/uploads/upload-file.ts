import { addUpload } from "../../shared/files/actions.ts";
import { makePreviews } from "../../shared/files/jobs.ts";
import { checkStraightSize, onlyFile, overQuota, quotaOf } from "../../shared/files/rules.ts";
import { uploadUrl } from "../../shared/files/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { text } from "../../shared/http/params.ts";
import { uploadedFiles } from "../../shared/http/uploaded-files.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_uploads",
    summary: "Uploads one file, sent as multipart/form-data, to be linked in messages; larger ones go by a link.",
    caller: "user",
    params: {},
    takesFile: true,
    returns: { url: text(), uri: text(), filename: text() },
    uses: { table: "readWrite", files: "readWrite", sends: [makePreviews.queue] },
  },
  async ({ caller, request }) => {
    const file = onlyFile(await uploadedFiles(request));
    checkStraightSize(file.content.length);
    const upload = await addUpload(caller.id, file, quotaOf(await accessRealm()));
    if (!upload) throw overQuota();
    return { url: uploadUrl(upload), uri: uploadUrl(upload), filename: upload.name };
  },
);
