import { badRequest } from "../../shared/errors.ts";
import { accessPendingUpload } from "../../shared/files/access.ts";
import { completeUpload } from "../../shared/files/actions.ts";
import { makePreviews } from "../../shared/files/jobs.ts";
import { overQuota, quotaOf } from "../../shared/files/rules.ts";
import { storedFacts } from "../../shared/files/stored.ts";
import { uploadUrl } from "../../shared/files/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string, text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_uploads/presigned/complete",
    summary: "Says that the file of a link is stored, and lists it among the caller's files.",
    caller: "user",
    params: { upload_id: string({ max: 1000 }) },
    returns: { url: text(), uri: text(), filename: text() },
    uses: { table: "readWrite", files: "read", sends: [makePreviews.queue] },
  },
  async ({ caller, params }) => {
    const pending = await accessPendingUpload(caller, params.upload_id);
    const stored = await storedFacts(pending);
    if (stored?.size !== pending.size) throw badRequest("The file has not been stored yet.");
    const upload = await completeUpload(pending, stored.facts, quotaOf(await accessRealm()));
    if (!upload) throw overQuota();
    return { url: uploadUrl(upload), uri: uploadUrl(upload), filename: upload.name };
  },
);
