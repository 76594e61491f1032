import { accessArchivedFile } from "../../shared/services/http/built-file.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    // A worker's scope is the folder of its script: served from here, it controls the whole web client.
    path: "/service-worker.js",
    summary: "Returns the web client's service worker.",
    caller: "anyone",
    params: {},
    returns: "raw",
    raw: { types: ["text/javascript; charset=utf-8"], statuses: [304] },
    uses: { built: ["web-client.json"] },
  },
  async ({ request }) =>
    accessArchivedFile("service-worker.js", request, {
      "cache-control": "no-cache",
      // The worker only fetches the client's own files.
      "content-security-policy": "default-src 'none'; connect-src 'self'",
    }),
);
