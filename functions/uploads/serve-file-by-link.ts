import { noSuchFile } from "../../shared/files/access.ts";
import { pathOfToken } from "../../shared/files/links.ts";
import { serveFile } from "../../shared/files/serving.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { RawReply } from "../../shared/http/raw-reply.ts";
import { findUpload } from "../../shared/store/uploads.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_uploads/temporary/{token}/{filename}",
    summary: "Returns the content of a file to whoever has a temporary link to it.",
    caller: "anyone",
    params: { token: string({ max: 2000 }), filename: string({ max: 1000 }) },
    returns: "raw",
    raw: { types: ["*/*"], statuses: [206, 302, 416] },
    uses: { table: "read", files: "read", secret: true },
  },
  async ({ params, request }) => {
    const upload = await findUpload(await pathOfToken(params.token));
    const served = upload && (await serveFile(upload, request.headers.range));
    if (!served) throw noSuchFile();
    return new RawReply(served.status, served.headers, served.body);
  },
);
