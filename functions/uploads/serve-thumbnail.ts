import { accessUpload, noSuchFile } from "../../shared/files/access.ts";
import { serveFile } from "../../shared/files/serving.ts";
import { imageOfThumbnail } from "../../shared/files/thumbnails.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { RawReply } from "../../shared/http/raw-reply.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_uploads/thumbnail/{realm_id}/{path+}",
    summary: "Returns a picture for a preview: the picture itself, which clients scale.",
    caller: "visitor",
    params: { realm_id: string({ max: 20 }), path: string({ max: 1000 }) },
    returns: "raw",
    raw: { types: ["*/*"], statuses: [206, 302, 416] },
    uses: { table: "read", files: "read" },
  },
  async ({ caller, params, request }) => {
    const pathId = imageOfThumbnail(`${params.realm_id}/${params.path}`);
    const upload = await accessUpload(caller, pathId, await accessRealm());
    const served = upload.contentType.startsWith("image/") ? await serveFile(upload, request.headers.range) : undefined;
    if (!served) throw noSuchFile();
    return new RawReply(served.status, served.headers, served.body);
  },
);
