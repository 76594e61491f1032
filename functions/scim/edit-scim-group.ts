import { string } from "../../shared/base/schema/params.ts";
import { changeScimGroup, patchedGroupFields, scimGroups } from "../../shared/features/scim/groups.ts";
import { noContent, objectIn, scimSpec } from "../../shared/features/scim/protocol.ts";
import { accessResource } from "../../shared/features/scim/resources.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "PATCH",
    path: "/scim/v2/Groups/{id}",
    summary: "Renames a user group, or adds and removes members, for the SCIM client.",
    note: "Adding people who are already members, or removing people who are not, changes nothing. The reply has no content, because a group may have many members.",
    params: { id: string({ max: 100 }) },
    raw: { ...scimSpec.raw, statuses: [204] },
    creates: "groupMember",
    uses: { table: "readWrite" },
  },
  async ({ params, request }) => {
    await loadActiveRealm();
    const fields = patchedGroupFields(objectIn(request));
    await changeScimGroup(await accessResource(scimGroups, params.id), fields);
    return noContent();
  },
);
