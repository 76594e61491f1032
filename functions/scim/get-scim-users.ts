import { linkUrl } from "../../shared/base/environment.ts";
import { listParams, scimSpec } from "../../shared/features/scim/protocol.ts";
import { listResources } from "../../shared/features/scim/resources.ts";
import { scimUserListing } from "../../shared/features/scim/users.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "GET",
    path: "/scim/v2/Users",
    summary: "Lists people for the SCIM client, filtered and in pages.",
    note: "A filter with `userName eq` or `externalId eq` reads one account; other filters read all accounts. A page has at most 500 users.",
    params: listParams,
    uses: { table: "read" },
  },
  async ({ params: { filter, startIndex, count, ...selection }, request }) =>
    listResources(scimUserListing, filter, { startIndex, count }, selection, linkUrl(request.baseUrl)),
);
