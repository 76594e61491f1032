import { linkUrl } from "../../shared/base/environment.ts";
import { optional, string, withNote } from "../../shared/base/schema/params.ts";
import { pageSpec } from "../../shared/features/joining/pages.ts";
import { attemptCookie, newAttempt } from "../../shared/features/single-sign-on/attempts.ts";
import { authorizationUrl } from "../../shared/features/single-sign-on/protocol.ts";
import { appOtpIn } from "../../shared/features/single-sign-on/return-to-client.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { RawReply } from "../../shared/services/http/raw-reply.ts";
import { accessIdentityProvider } from "../../shared/services/identity/providers.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

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
      mobile_flow_otp: optional(
        withNote(
          string({ max: 100 }),
          "64 hexadecimal digits: the one-time pad with which a mobile app decrypts the API key.",
        ),
      ),
      desktop_flow_otp: optional(
        withNote(string({ max: 100 }), "64 hexadecimal digits: the key with which the desktop app decrypts the code."),
      ),
    },
    raw: { ...pageSpec.raw, statuses: [302] },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN", "REALM_DEACTIVATED", "SERVICE_UNAVAILABLE"],
    uses: { table: "read", secret: true, identityProviders: "list", built: ["page.html"] },
  },
  async ({ params, request }) => {
    await loadActiveRealm();
    const provider = accessIdentityProvider(params.provider);
    const app = appOtpIn(params.mobile_flow_otp, params.desktop_flow_otp);
    const baseUrl = linkUrl(request.baseUrl);
    const attempt = newAttempt(provider.id, { invitation: params.invitation, app });
    const location = await authorizationUrl(provider, attempt, baseUrl);
    return new RawReply(302, { location: location.href, "cache-control": "private, no-store" }, undefined, {
      cookies: [await attemptCookie(attempt, baseUrl)],
    });
  },
);
