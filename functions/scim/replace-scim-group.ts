import { linkUrl } from "../../shared/base/environment.ts";
import { string } from "../../shared/base/schema/params.ts";
import { changeScimGroup, groupFieldsIn, scimGroups, toScimGroup } from "../../shared/features/scim/groups.ts";
import { objectIn, scimReply, scimSpec } from "../../shared/features/scim/protocol.ts";
import { accessResource } from "../../shared/features/scim/resources.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "PUT",
    path: "/scim/v2/Groups/{id}",
    summary: "Replaces the name and the members of a user group for the SCIM client.",
    note: "Attributes that are not sent stay as they are.",
    params: { id: string({ max: 100 }) },
    creates: "groupMember",
    uses: { table: "readWrite" },
  },
  async ({ params, request }) => {
    await loadActiveRealm();
    const fields = groupFieldsIn(objectIn(request));
    const changed = await changeScimGroup(await accessResource(scimGroups, params.id), fields);
    return scimReply(200, toScimGroup(changed, linkUrl(request.baseUrl)));
  },
);
