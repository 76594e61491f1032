import { builtFileReply } from "../../shared/services/http/built-file.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

/** The page may only load from and call this host, and cannot be framed. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/api",
    summary: "Shows the API reference, with a form to try each call.",
    caller: "anyone",
    params: {},
    returns: "raw",
    raw: { types: ["text/html; charset=utf-8"], statuses: [304] },
    uses: { built: ["reference.html"] },
  },
  ({ request }) =>
    builtFileReply("reference.html", request, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
    }),
);
