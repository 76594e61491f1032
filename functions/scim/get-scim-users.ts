import { linkUrl } from "../../shared/environment.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { listParams, scimSpec } from "../../shared/scim/protocol.ts";
import { listPeople } from "../../shared/scim/users.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "GET",
    path: "/scim/v2/Users",
    summary: "Lists people for the SCIM client, by a filter and in pages.",
    note: "A filter with `userName eq` or `externalId eq` reads one account; others read all. A page has at most 500 users.",
    params: listParams,
    uses: { table: "read" },
  },
  async ({ params: { filter, startIndex, count, ...selection }, request }) =>
    listPeople(filter, { startIndex, count }, selection, linkUrl(request.baseUrl)),
);
