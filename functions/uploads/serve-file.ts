import { endpoint } from "../../shared/http/endpoint.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { string } from "../../shared/schema/params.ts";
import { accessUpload } from "../../shared/uploads/access.ts";
import { serveFile } from "../../shared/uploads/serving.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_uploads/{realm_id}/{path+}",
    summary: "Returns a file's content, or a redirect to a large file.",
    caller: "visitor",
    params: { realm_id: string({ max: 20 }), path: string({ max: 1000 }) },
    takesFileCookie: true,
    returns: "raw",
    prefetch: accessRealm,
    raw: { types: ["*/*"], statuses: [206, 302, 304, 416] },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN"],
    uses: { table: "read", secret: true, files: "read" },
  },
  async ({ caller, params, request }) => {
    const upload = await accessUpload(caller, `${params.realm_id}/${params.path}`, await accessRealm());
    return serveFile(upload, request);
  },
);
