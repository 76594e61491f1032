import { string } from "../../shared/base/schema/params.ts";
import { deleteScimGroup, scimGroups } from "../../shared/features/scim/groups.ts";
import { noContent, scimSpec } from "../../shared/features/scim/protocol.ts";
import { accessResource } from "../../shared/features/scim/resources.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "DELETE",
    path: "/scim/v2/Groups/{id}",
    summary: "Deactivates a user group that the SCIM client deletes, unless it is in use.",
    params: { id: string({ max: 100 }) },
    raw: { ...scimSpec.raw, statuses: [204] },
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    await loadActiveRealm();
    await deleteScimGroup(await accessResource(scimGroups, params.id));
    return noContent();
  },
);
