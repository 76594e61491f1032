import { endpoint } from "../../shared/http/endpoint.ts";
import { removeField } from "../../shared/profile-fields/actions.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/profile_fields/{field_id}",
    summary: "Removes a custom profile field, and its value from every profile.",
    caller: "admin",
    params: { field_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => removeField(params.field_id),
);
