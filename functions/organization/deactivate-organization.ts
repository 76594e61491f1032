import { int, nullable, optional } from "../../shared/base/schema/params.ts";
import { deactivateOrganization } from "../../shared/core/organization/deactivation.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/deactivate",
    summary: "Deactivates the organization: nobody can log in or use an API key. No data is deleted.",
    note: "All data is kept: a `deletion_delay_days` other than `null` is refused. Only the server's operator can reactivate the organization. File links issued before the deactivation work until they expire.",
    caller: "owner",
    params: { deletion_delay_days: optional(nullable(int())) },
    returns: {},
    uses: { table: "readWrite", sends: ["background-jobs", "mail"], mailFrom: true },
  },
  async ({ params }) => deactivateOrganization(params.deletion_delay_days),
);
