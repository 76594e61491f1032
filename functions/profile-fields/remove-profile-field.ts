import { int } from "../../shared/base/schema/params.ts";
import { removeField } from "../../shared/core/profile-fields/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/realm/profile_fields/{field_id}",
    summary: "Removes a custom profile field, and its value from every profile.",
    caller: "admin",
    params: { field_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await removeField(params.field_id) }),
);
