import { accessArchivedFile } from "../../shared/http/built-file.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/schema/params.ts";

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
