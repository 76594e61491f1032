import { int, mapOf, string, text, timestamp } from "../../shared/base/schema/params.ts";
import { checkQuota } from "../../shared/messaging/uploads/access.ts";
import { offerUpload } from "../../shared/messaging/uploads/actions.ts";
import { checkFileSize } from "../../shared/messaging/uploads/rules.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_uploads/presigned",
    summary: "Returns a presigned URL to upload a file of up to 100 MiB with one PUT, more than API Gateway accepts.",
    note: "Send one `PUT` with exactly `size` bytes and the `upload_headers` to `upload_url`, without credentials, before `expires` (UNIX seconds, 15 minutes ahead); then call `POST /user_uploads/presigned/complete`. An upload that is not completed within an hour is removed. tus, the protocol for resumable uploads, is not supported.",
    caller: "user",
    params: { filename: string({ max: 1000, allowBlank: false }), size: int({ min: 0 }) },
    returns: { upload_id: text(), upload_url: text(), upload_headers: mapOf(text()), expires: timestamp() },
    needs: { realm },
    creates: "upload",
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    checkFileSize(params.size);
    await checkQuota(params.size, realm);
    const { pending, link } = await offerUpload(caller.id, params.filename, params.size);
    return {
      upload_id: pending.pathId,
      upload_url: link.url,
      upload_headers: link.headers,
      expires: Math.floor(pending.linkEndsAt / 1000),
    };
  },
);
