import { bool, string } from "../../shared/base/schema/params.ts";
import { changeDomain, checkDomain } from "../../shared/core/realm-domains/realm-domains.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/realm/domains/{domain}",
    summary: "Changes whether an allowed email domain includes its subdomains.",
    caller: "owner",
    params: { domain: string({ max: 200 }), allow_subdomains: bool() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => changeDomain({ domain: checkDomain(params.domain), allowSubdomains: params.allow_subdomains }),
);
