import { endpoint } from "../../shared/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/organization/access.ts";
import { string } from "../../shared/schema/params.ts";
import { accessScimGroup, changeScimGroup, patchedGroupFields } from "../../shared/scim/groups.ts";
import { noContent, objectIn, scimSpec } from "../../shared/scim/protocol.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "PATCH",
    path: "/scim/v2/Groups/{id}",
    summary: "Renames a user group, or adds and removes members, for the SCIM client.",
    note: "Adding members who are in the group, and removing others, changes nothing. The reply has no content: a group may have many members.",
    params: { id: string({ max: 100 }) },
    raw: { ...scimSpec.raw, statuses: [204] },
    creates: "groupMember",
    uses: { table: "readWrite" },
  },
  async ({ params, request }) => {
    await loadActiveRealm();
    const fields = patchedGroupFields(objectIn(request));
    await changeScimGroup(await accessScimGroup(params.id), fields);
    return noContent();
  },
);
