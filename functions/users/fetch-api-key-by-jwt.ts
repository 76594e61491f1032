import { bool, int, string, withDefault } from "../../shared/base/schema/params.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { refuseJsonWebTokens } from "../../shared/services/organization/unsupported.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/jwt/fetch_api_key",
    summary:
      "Always fails, as if JWT authentication were not configured: people sign in by password or single sign-on.",
    caller: "anyone",
    params: { token: withDefault(string({ max: 10_000 }), ""), include_profile: withDefault(bool(), false) },
    returns: { api_key: string(), email: string(), user_id: int() },
    uses: {},
  },
  async () => refuseJsonWebTokens(),
);
