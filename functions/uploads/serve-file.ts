import { string } from "../../shared/base/schema/params.ts";
import { accessUpload } from "../../shared/messaging/uploads/access.ts";
import { serveFile } from "../../shared/messaging/uploads/serving.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_uploads/{realm_id}/{path+}",
    summary: "Returns a file's content, or a redirect to a large file.",
    note: [
      "For a file that is too large for a direct upload, the reply is a redirect (302) to a link that is valid for a minute. The type is detected from the content. Images, audio, video and plain text are shown, sandboxed; HTML, SVG and scripts are served as plain text; everything else, including PDF, can only be downloaded. Browsers must revalidate cached files before they show them (`private, no-cache` with an `ETag`).",
      "Missing and forbidden files give the same 404. If `enable_spectator_access` is on, spectators may read the files that messages of web-public channels link to, and the previews of these files; for any other address they get `UNAUTHORIZED`.",
    ],
    caller: "visitor",
    params: { realm_id: string({ max: 20 }), path: string({ max: 1000 }) },
    takesFileCookie: true,
    returns: "raw",
    needs: { realm },
    raw: { types: ["*/*"], statuses: [206, 302, 304, 416] },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN"],
    uses: { table: "read", secret: true, files: "read" },
  },
  async ({ caller, params, request, realm }) => {
    const upload = await accessUpload(caller, `${params.realm_id}/${params.path}`, realm);
    return serveFile(upload, request);
  },
);
