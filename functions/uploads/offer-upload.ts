import { offerUpload } from "../../shared/files/actions.ts";
import { checkFileSize, overQuota, quotaOf } from "../../shared/files/rules.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, mapOf, string, text, timestamp } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { spaceUsed } from "../../shared/store/uploads.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/user_uploads/presigned",
    summary: "Gives a link by which a file of up to 100 MiB is stored with one PUT, past every gateway's limit.",
    caller: "user",
    params: { filename: string({ max: 1000, blank: false }), size: int({ min: 0 }) },
    returns: { upload_id: text(), upload_url: text(), upload_headers: mapOf(text()), expires: timestamp() },
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, params }) => {
    checkFileSize(params.size);
    const quota = quotaOf(await accessRealm());
    if (quota !== undefined && (await spaceUsed()) + params.size > quota) throw overQuota();
    const { pending, link } = await offerUpload(caller.id, params.filename, params.size);
    return {
      upload_id: pending.pathId,
      upload_url: link.url,
      upload_headers: link.headers,
      expires: Math.floor(pending.linkEndsAt / 1000),
    };
  },
);
