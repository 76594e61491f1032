import { bool, int, list, string, text, union } from "../../shared/base/schema/params.ts";
import { addDomain, checkDomain } from "../../shared/core/realm-domains/realm-domains.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/realm/domains",
    summary: "Adds an allowed email domain. The reply contains its ID and its name.",
    caller: "owner",
    params: { domain: string({ max: 200 }), allow_subdomains: bool() },
    returns: { new_domain: list(union([int(), text()], "an integer or a string")) },
    creates: "realmDomain",
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    const domain = checkDomain(params.domain);
    const { change, id } = await addDomain({ domain, allowSubdomains: params.allow_subdomains });
    return { change, reply: { new_domain: [id, domain] } };
  },
);
