import { string } from "../../shared/base/schema/params.ts";
import { checkDomain, removeDomain } from "../../shared/core/realm-domains/realm-domains.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/domains/{domain}",
    summary: "Removes an allowed email domain. Existing accounts are unaffected.",
    caller: "owner",
    params: { domain: string({ max: 200 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => removeDomain(checkDomain(params.domain)),
);
