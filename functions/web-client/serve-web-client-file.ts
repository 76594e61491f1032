import { string } from "../../shared/base/schema/params.ts";
import { accessArchivedFile } from "../../shared/services/http/built-file.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

/** Pages and the service worker, which other functions serve with their security policies. */
const servedElsewhere = new Set(["index.html", "page.html", "service-worker.js"]);
/** Files whose names do not change with their content. */
const stableNames = /^icon|\.webmanifest$/;

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/client/{file}",
    summary: "Returns a script, style sheet, font or image of the web client.",
    caller: "anyone",
    params: { file: string({ max: 100 }) },
    returns: "raw",
    raw: { types: ["*/*"], statuses: [304] },
    errors: ["NOT_FOUND"],
    uses: { built: ["web-client.json"] },
  },
  async ({ params: { file }, request }) => {
    // No file has an empty name, so that the reply is 404.
    const name = servedElsewhere.has(file) ? "" : file;
    const headers = stableNames.test(file) ? { "cache-control": "public, max-age=3600" } : {};
    return accessArchivedFile(name, request, headers);
  },
);
