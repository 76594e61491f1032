import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { string, text } from "../../shared/schema/params.ts";
import { accessPendingUpload } from "../../shared/uploads/access.ts";
import { detectStoredContent } from "../../shared/uploads/access-stored.ts";
import { completeUpload } from "../../shared/uploads/actions.ts";
import { makePreviewsJob } from "../../shared/uploads/jobs.ts";
import { uploadQuotaBytes } from "../../shared/uploads/rules.ts";
import { uploadUrl } from "../../shared/uploads/wire.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_uploads/presigned/complete",
    summary: "Completes a presigned upload, and adds the file to the caller's uploads.",
    caller: "user",
    params: { upload_id: string({ max: 1000 }) },
    returns: { url: text(), uri: text(), filename: text() },
    needs: { realm },
    creates: "upload",
    uses: { table: "readWrite", files: "read", sends: [makePreviewsJob.queue] },
  },
  async ({ caller, params, realm }) => {
    const pending = await accessPendingUpload(caller, params.upload_id);
    const detected = await detectStoredContent(pending);
    const upload = await completeUpload(pending, detected, uploadQuotaBytes(realm));
    return { url: uploadUrl(upload), uri: uploadUrl(upload), filename: upload.name };
  },
);
