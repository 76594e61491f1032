import { string } from "../../shared/base/schema/params.ts";
import { checkDomain, removeDomain } from "../../shared/core/realm-domains/realm-domains.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/realm/domains/{domain}",
    summary: "Removes an allowed email domain. Existing accounts are unaffected.",
    caller: "owner",
    params: { domain: string({ max: 200 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await removeDomain(checkDomain(params.domain)) }),
);
