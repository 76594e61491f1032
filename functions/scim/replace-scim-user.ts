import { linkUrl } from "../../shared/base/environment.ts";
import { string } from "../../shared/base/schema/params.ts";
import { objectIn, scimReply, scimSpec } from "../../shared/features/scim/protocol.ts";
import { accessResource } from "../../shared/features/scim/resources.ts";
import { changePerson, scimUsers, toScimUser, userFieldsIn } from "../../shared/features/scim/users.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "PUT",
    path: "/scim/v2/Users/{id}",
    summary: "Replaces a person's attributes for the SCIM client.",
    note: "Attributes that are not sent stay as they are. `active: false` deactivates the person, as `DELETE /api/v1/users/{user_id}` does.",
    params: { id: string({ max: 100 }) },
    creates: "presence",
    uses: { table: "readWrite", sends: ["background-jobs", "mail"], mailFrom: true },
  },
  async ({ params, request }) => {
    const realm = await loadActiveRealm();
    const fields = userFieldsIn(objectIn(request));
    const changed = await changePerson(await accessResource(scimUsers, params.id), fields, realm);
    return scimReply(200, toScimUser(changed, linkUrl(request.baseUrl)));
  },
);
