import { string, text } from "../../shared/base/schema/params.ts";
import { accessPendingUpload } from "../../shared/messaging/uploads/access.ts";
import { detectStoredContent } from "../../shared/messaging/uploads/access-stored.ts";
import { completeUpload } from "../../shared/messaging/uploads/actions.ts";
import { makePreviewsJob } from "../../shared/messaging/uploads/jobs.ts";
import { uploadQuotaBytes } from "../../shared/messaging/uploads/rules.ts";
import { uploadUrl } from "../../shared/messaging/uploads/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

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
