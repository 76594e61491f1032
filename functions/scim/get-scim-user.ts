import { linkUrl } from "../../shared/environment.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { optional, string } from "../../shared/schema/params.ts";
import { scimReply, scimSpec, select } from "../../shared/scim/protocol.ts";
import { accessPerson, toScimUser } from "../../shared/scim/users.ts";

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
    scimReply(200, select(toScimUser(await accessPerson(id), linkUrl(request.baseUrl)), selection)),
);
