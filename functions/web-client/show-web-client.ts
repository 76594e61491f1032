import { filesOrigin } from "../../shared/environment.ts";
import { accessArchivedFile } from "../../shared/http/built-file.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { identityProviders } from "../../shared/identity/providers.ts";

/**
 * The page may only run its own files, call this host and the bucket for large uploads, show the icons of identity providers,
 * and cannot be framed. Style
 * attributes are allowed, since formulas need them; style elements are not.
 */
function policy(): string {
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
    `connect-src ${ownOrigins}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types dompurify skein",
  ].join("; ");
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
    // The bucket's origin and those of the providers' icons are part of the policy.
    uses: { built: ["web-client.json"], files: "read", identityProviders: "list" },
  },
  async ({ request }) =>
    accessArchivedFile("web-client.json", "index.html", request, {
      "cache-control": "no-cache",
      "content-security-policy": policy(),
    }),
);
