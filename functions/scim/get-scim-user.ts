import { linkUrl } from "../../shared/base/environment.ts";
import { optional, string } from "../../shared/base/schema/params.ts";
import { scimReply, scimSpec, select } from "../../shared/features/scim/protocol.ts";
import { accessResource } from "../../shared/features/scim/resources.ts";
import { scimUsers, toScimUser } from "../../shared/features/scim/users.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

const text = () => optional(string({ max: 2000 }));

export const handler = endpoint(
  {
    ...scimSpec,
    method: "GET",
    path: "/scim/v2/Users/{id}",
    summary: "Returns a person to the SCIM client.",
    params: { id: string({ max: 100 }), attributes: text(), excludedAttributes: text() },
    uses: { table: "read" },
  },
  async ({ params: { id, ...selection }, request }) =>
    scimReply(200, select(toScimUser(await accessResource(scimUsers, id), linkUrl(request.baseUrl)), selection)),
);
