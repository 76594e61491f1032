import { endpoint } from "../../shared/http/endpoint.ts";
import { checkDomain, removeDomain } from "../../shared/realm-domains/actions.ts";
import { string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/domains/{domain}",
    summary: "Lets no further addresses of a domain have an account.",
    caller: "owner",
    params: { domain: string({ max: 200 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => removeDomain(checkDomain(params.domain)),
);
