import { linkUrl } from "../../shared/base/environment.ts";
import { scimGroupListing } from "../../shared/features/scim/groups.ts";
import { listParams, scimSpec } from "../../shared/features/scim/protocol.ts";
import { listResources } from "../../shared/features/scim/resources.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "GET",
    path: "/scim/v2/Groups",
    summary: "Lists user groups with their direct members for the SCIM client, filtered and in pages.",
    note: "A filter with `displayName eq` or `externalId eq` reads one group; other filters read all groups. A page has at most 500 groups, and fewer if they have many members. System groups and deactivated groups are left out.",
    params: listParams,
    uses: { table: "read" },
  },
  async ({ params: { filter, startIndex, count, ...selection }, request }) =>
    listResources(scimGroupListing, filter, { startIndex, count }, selection, linkUrl(request.baseUrl)),
);
