import { list } from "../../shared/base/schema/params.ts";
import { realmDomainObject, realmDomainsState } from "../../shared/core/realm-domains/realm-domains.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/domains",
    summary: "Lists the email domains that accounts may use if the organization restricts them.",
    caller: "user",
    params: {},
    returns: { domains: list(realmDomainObject) },
    uses: { table: "read" },
  },
  async () => ({ domains: (await realmDomainsState()).realm_domains }),
);
