import { connectionsUrl, filesOrigin } from "../../shared/base/environment.ts";
import { accessArchivedFile } from "../../shared/services/http/built-file.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { identityProviders } from "../../shared/services/identity/providers.ts";

/**
 * The page may only run its own files, call this host and the bucket for large uploads, show the icons of identity providers,
 * and cannot be framed. Style
 * attributes are allowed, since formulas need them; style elements are not.
 */
function policy(baseUrl: string): string {
  const icons = identityProviders().flatMap(({ icon }) => (icon === undefined ? [] : new URL(icon).origin));
  const ownOrigins = ["'self'", filesOrigin()].filter((origin) => origin !== undefined).join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    `img-src ${[ownOrigins, ...new Set(icons)].join(" ")} data: blob:`,
    `media-src ${ownOrigins}`,
    "font-src 'self'",
    `connect-src ${ownOrigins} ${connectionsOrigin(baseUrl)}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types dompurify skein",
  ].join("; ");
}

/** Where the page opens its WebSocket: not every browser counts that of the page's own host as 'self'. */
function connectionsOrigin(baseUrl: string): string {
  const { protocol, host } = new URL(connectionsUrl() ?? baseUrl);
  return `${protocol.replace("http", "ws")}//${host}`;
}

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/",
    summary: "Shows the web client.",
    caller: "anyone",
    params: {},
    returns: "raw",
    raw: { types: ["text/html; charset=utf-8"], statuses: [304] },
    // The origins of the bucket, of the WebSocket API and of the providers' icons are part of the policy.
    uses: { built: ["web-client.json"], files: "read", connections: "address", identityProviders: "list" },
  },
  async ({ request }) =>
    accessArchivedFile("index.html", request, {
      "cache-control": "no-cache",
      "content-security-policy": policy(request.baseUrl),
    }),
);
