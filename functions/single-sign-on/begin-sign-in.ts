import { linkUrl } from "../../shared/environment.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { RawReply } from "../../shared/http/raw-reply.ts";
import { accessIdentityProvider } from "../../shared/identity/providers.ts";
import { pageSpec } from "../../shared/joining/pages.ts";
import { accessActiveRealm } from "../../shared/organization/access.ts";
import { optional, string } from "../../shared/schema/params.ts";
import { attemptCookie, newAttempt } from "../../shared/single-sign-on/attempts.ts";
import { authorizationUrl } from "../../shared/single-sign-on/protocol.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/sign-in/{provider}",
    summary: "Redirects the browser to an identity provider, where people sign in.",
    params: {
      provider: string({ max: 100 }),
      /** The token of an invitation link, which admits people without an account. */
      invitation: optional(string({ max: 100 })),
    },
    raw: { ...pageSpec.raw, statuses: [302] },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "REALM_DEACTIVATED", "SERVICE_UNAVAILABLE"],
    uses: { table: "read", secret: true, identityProviders: "list", built: ["page.html"] },
  },
  async ({ params, request }) => {
    const provider = accessIdentityProvider(params.provider);
    await accessActiveRealm();
    const baseUrl = linkUrl(request.baseUrl);
    const attempt = newAttempt(provider.id, { invitation: params.invitation });
    const location = await authorizationUrl(provider, attempt, baseUrl);
    return new RawReply(302, { location: location.href, "cache-control": "private, no-store" }, undefined, {
      cookies: [await attemptCookie(attempt, baseUrl)],
    });
  },
);
