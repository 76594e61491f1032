import { linkUrl } from "../../shared/environment.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, optional, string, withDefault } from "../../shared/schema/params.ts";
import { scimPath, scimSpec } from "../../shared/scim/protocol.ts";
import { listPeople } from "../../shared/scim/users.ts";

const text = () => optional(string({ max: 2000 }));

export const handler = endpoint(
  {
    ...scimSpec,
    method: "GET",
    path: `${scimPath}/Users`,
    summary: "Lists people for the SCIM client, by a filter and in pages.",
    note: "A filter with `userName eq` or `externalId eq` reads one account; others read all. A page has at most 500 users.",
    params: {
      filter: text(),
      startIndex: withDefault(int(), 1),
      count: withDefault(int(), 100),
      attributes: text(),
      excludedAttributes: text(),
    },
    uses: { table: "read" },
  },
  async ({ params: { filter, startIndex, count, ...selection }, request }) =>
    listPeople(filter, { startIndex, count }, selection, linkUrl(request.baseUrl)),
);
