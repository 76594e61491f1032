import { endpoint } from "../../shared/http/endpoint.ts";
import { checkDomain, removeDomain } from "../../shared/realm-domains/realm-domains.ts";
import { string } from "../../shared/schema/params.ts";

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
