import { endpoint } from "../../shared/http/endpoint.ts";
import { refuseJsonWebTokens } from "../../shared/organization/unsupported.ts";
import { bool, int, string, withDefault } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/jwt/fetch_api_key",
    summary:
      "Always fails, as where no key for JSON web tokens is configured: people sign in by password or single sign-on.",
    caller: "anyone",
    params: { token: withDefault(string({ max: 10_000 }), ""), include_profile: withDefault(bool(), false) },
    returns: { api_key: string(), email: string(), user_id: int() },
    uses: {},
  },
  async () => refuseJsonWebTokens(),
);
