import { accessUpload, noSuchFile } from "../../shared/files/access.ts";
import { serveFile } from "../../shared/files/serving.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { RawReply } from "../../shared/http/raw-reply.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_uploads/{realm_id}/{path+}",
    summary: "Returns a file's content; of a large one, a redirect to it.",
    caller: "visitor",
    params: { realm_id: string({ max: 20 }), path: string({ max: 1000 }) },
    returns: "raw",
    raw: { types: ["*/*"], statuses: [206, 302, 416] },
    uses: { table: "read", files: "read" },
  },
  async ({ caller, params, request }) => {
    const upload = await accessUpload(caller, `${params.realm_id}/${params.path}`, await accessRealm());
    const served = await serveFile(upload, request.headers.range);
    if (!served) throw noSuchFile();
    return new RawReply(served.status, served.headers, served.body);
  },
);
