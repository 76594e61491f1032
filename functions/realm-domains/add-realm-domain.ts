import { endpoint } from "../../shared/http/endpoint.ts";
import { addDomain, checkDomain } from "../../shared/realm-domains/actions.ts";
import { bool, string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/domains",
    summary: "Adds an allowed email domain.",
    caller: "owner",
    params: { domain: string({ max: 200 }), allow_subdomains: bool() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => addDomain({ domain: checkDomain(params.domain), allowSubdomains: params.allow_subdomains }),
);
