import { int, mapOf, text } from "../../shared/base/schema/params.ts";
import { accessImport } from "../../shared/features/import/requests/access.ts";
import { offerPart } from "../../shared/features/import/requests/actions.ts";
import { checkHasPart } from "../../shared/features/import/requests/parts.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/import/parts",
    summary: "Returns a presigned URL to upload a part of the archive to be imported.",
    note: "Send one `PUT` with the part and the `upload_headers` to `upload_url`, without credentials, within 15 minutes. Parts are numbered from 0. A part that has arrived cannot be replaced: a second `PUT` is answered with status 412.",
    caller: "owner",
    params: { part: int() },
    returns: { upload_url: text(), upload_headers: mapOf(text()) },
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ params }) => {
    const request = await accessImport("uploading");
    checkHasPart(request, params.part);
    const { url, headers } = await offerPart(request, params.part);
    return { upload_url: url, upload_headers: headers };
  },
);
