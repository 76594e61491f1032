import { string } from "../../shared/base/schema/params.ts";
import { endSessionsByProvider } from "../../shared/features/single-sign-on/logout.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { accessIdentityProvider } from "../../shared/services/identity/providers.ts";

export const handler = endpoint(
  {
    method: "POST",
    prefix: "",
    path: "/sign-in/{provider}/logout",
    summary: "Ends all sessions of a user who has signed out at an identity provider. Called by the provider.",
    caller: "anyone",
    params: { provider: string({ max: 100 }), logout_token: string({ max: 20_000 }) },
    returns: {},
    errors: ["BAD_REQUEST", "BAD_REQUEST 404", "SERVICE_UNAVAILABLE"],
    uses: { table: "readWrite", secret: true, identityProviders: "list", sends: ["outgoing"], pushBouncer: true },
  },
  async ({ params }) => endSessionsByProvider(accessIdentityProvider(params.provider), params.logout_token),
);
