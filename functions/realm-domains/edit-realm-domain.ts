import { bool, string } from "../../shared/base/schema/params.ts";
import { changeDomain, checkDomain } from "../../shared/core/realm-domains/realm-domains.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/realm/domains/{domain}",
    summary: "Changes whether an allowed email domain includes its subdomains.",
    caller: "owner",
    params: { domain: string({ max: 200 }), allow_subdomains: bool() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    const domain = checkDomain(params.domain);
    return { change: await changeDomain({ domain, allowSubdomains: params.allow_subdomains }) };
  },
);
