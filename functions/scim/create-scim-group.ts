import { linkUrl } from "../../shared/base/environment.ts";
import { createScimGroup, groupFieldsIn, toScimGroup } from "../../shared/features/scim/groups.ts";
import { objectIn, scimReply, scimSpec } from "../../shared/features/scim/protocol.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "POST",
    path: "/scim/v2/Groups",
    summary: "Creates a user group for the SCIM client.",
    note: "Members cannot leave the group; people who may manage all groups can change it. If a deactivated group has the name, it is reactivated.",
    params: {},
    raw: { ...scimSpec.raw, statuses: [201] },
    creates: ["userGroup", "groupMember"],
    uses: { table: "readWrite" },
  },
  async ({ request }) => {
    await loadActiveRealm();
    const group = toScimGroup(await createScimGroup(groupFieldsIn(objectIn(request))), linkUrl(request.baseUrl));
    return scimReply(201, group, { location: group.meta.location });
  },
);
