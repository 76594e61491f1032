import { accessUpload, noSuchFile } from "../../shared/files/access.ts";
import { makePreviews } from "../../shared/files/jobs.ts";
import { serveThumbnail, thumbnailAt } from "../../shared/files/thumbnails.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { RawReply } from "../../shared/http/raw-reply.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_uploads/thumbnail/{realm_id}/{path+}",
    summary: "Returns a picture made smaller, as WebP; until it is made, the picture itself.",
    caller: "visitor",
    params: { realm_id: string({ max: 20 }), path: string({ max: 1000 }) },
    returns: "raw",
    raw: { types: ["*/*"], statuses: [206, 302, 416] },
    uses: { table: "read", files: "read", sends: [makePreviews.queue] },
  },
  async ({ caller, params, request }) => {
    const { pathId, moves } = thumbnailAt(`${params.realm_id}/${params.path}`);
    const upload = await accessUpload(caller, pathId, await accessRealm());
    const served = await serveThumbnail(upload, moves, request.headers.range);
    if (!served) throw noSuchFile();
    return new RawReply(served.status, served.headers, served.body);
  },
);
