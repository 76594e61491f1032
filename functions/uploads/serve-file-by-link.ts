import { string } from "../../shared/base/schema/params.ts";
import { accessUploadByToken } from "../../shared/messaging/uploads/access.ts";
import { serveFile } from "../../shared/messaging/uploads/serving.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_uploads/temporary/{token}/{filename}",
    summary: "Returns the file of a temporary link.",
    note: "The reply to an invalid or expired link is 400.",
    caller: "anyone",
    params: { token: string({ max: 2000 }), filename: string({ max: 1000 }) },
    returns: "raw",
    raw: { types: ["*/*"], statuses: [206, 302, 304, 416] },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "read", files: "read", secret: true },
  },
  async ({ params, request }) => {
    const upload = await accessUploadByToken(params.token);
    return serveFile(upload, request);
  },
);
