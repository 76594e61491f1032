import { endpoint } from "../../shared/http/endpoint.ts";
import { realmDomainObject, realmDomainsState } from "../../shared/realm-domains/realm-domains.ts";
import { list } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/domains",
    summary: "Lists the email domains that accounts may have if the organization restricts them.",
    caller: "user",
    params: {},
    returns: { domains: list(realmDomainObject) },
    uses: { table: "read" },
  },
  async () => ({ domains: (await realmDomainsState()).realm_domains }),
);
