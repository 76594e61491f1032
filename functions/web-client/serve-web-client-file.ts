import { accessArchivedFile } from "../../shared/http/built-file.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/schema/params.ts";

/** Pages, which other functions serve with their security policies. */
const pages = new Set(["index.html", "page.html"]);
/** Files whose names do not change with their content. */
const changing = new Set(["icon.svg", "manifest.webmanifest"]);

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
    // Pages are served elsewhere, with their policies.
    const name = pages.has(file) ? "" : file;
    const headers = changing.has(file) ? { "cache-control": "public, max-age=3600" } : {};
    return accessArchivedFile("web-client.json", name, request, headers);
  },
);
