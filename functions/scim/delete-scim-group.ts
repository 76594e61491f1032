import { endpoint } from "../../shared/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/organization/access.ts";
import { string } from "../../shared/schema/params.ts";
import { accessScimGroup, deleteScimGroup } from "../../shared/scim/groups.ts";
import { noContent, scimSpec } from "../../shared/scim/protocol.ts";

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
    await deleteScimGroup(await accessScimGroup(params.id));
    return noContent();
  },
);
