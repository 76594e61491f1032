import { linkUrl } from "../../shared/base/environment.ts";
import { optional, string } from "../../shared/base/schema/params.ts";
import { pageSpec } from "../../shared/features/joining/pages.ts";
import { endAttempt, endedAttemptCookie } from "../../shared/features/single-sign-on/attempts.ts";
import { claimsOf } from "../../shared/features/single-sign-on/protocol.ts";
import { returnToClient } from "../../shared/features/single-sign-on/return-to-client.ts";
import { signInByProvider } from "../../shared/features/single-sign-on/sign-in.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { withCookie } from "../../shared/services/http/raw-reply.ts";
import { accessIdentityProvider } from "../../shared/services/identity/providers.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

const field = () => optional(string({ max: 8000 }));

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/sign-in/{provider}/callback",
    summary: "Signs in a person whom an identity provider has redirected back, and lets new people join.",
    params: { provider: string({ max: 100 }), code: field(), state: field(), iss: field(), error: field() },
    raw: { ...pageSpec.raw, statuses: [302] },
    errors: [
      "BAD_REQUEST 404",
      "NONEXISTENT_SUBDOMAIN",
      "REALM_DEACTIVATED",
      "SERVICE_UNAVAILABLE",
      "USER_DEACTIVATED",
    ],
    creates: ["user", "apiKey", "session", "groupMember"],
    uses: {
      table: "readWrite",
      secret: true,
      sends: ["background-jobs", "mail"],
      mailFrom: true,
      identityProviders: "secrets",
      built: ["page.html"],
    },
  },
  async ({ params, request }) => {
    const { code, state, iss, error } = params;
    const realm = await loadActiveRealm();
    const provider = accessIdentityProvider(params.provider);
    const baseUrl = linkUrl(request.baseUrl);
    const attempt = await endAttempt(provider.id, state, request, baseUrl);
    const claims = await claimsOf(provider, attempt, { code, state, iss, error }, baseUrl);
    const account = await signInByProvider(provider, claims, realm, attempt.invitation);
    const reply = await returnToClient(account, attempt.app, realm, { request, method: provider.name });
    return withCookie(reply, endedAttemptCookie(baseUrl));
  },
);
