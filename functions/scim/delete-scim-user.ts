import { string } from "../../shared/base/schema/params.ts";
import { noContent, scimSpec } from "../../shared/features/scim/protocol.ts";
import { accessResource } from "../../shared/features/scim/resources.ts";
import { deletePerson, scimUsers } from "../../shared/features/scim/users.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadActiveRealm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    ...scimSpec,
    method: "DELETE",
    path: "/scim/v2/Users/{id}",
    summary: "Deactivates a person whom the SCIM client deletes, and hides them from it.",
    params: { id: string({ max: 100 }) },
    raw: { ...scimSpec.raw, statuses: [204] },
    uses: { table: "readWrite", sends: ["background-jobs", "mail"], mailFrom: true },
  },
  async ({ params }) => {
    const realm = await loadActiveRealm();
    await deletePerson(await accessResource(scimUsers, params.id), realm);
    return noContent();
  },
);
