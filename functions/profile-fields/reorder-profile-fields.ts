import { endpoint } from "../../shared/http/endpoint.ts";
import { orderFields } from "../../shared/profile-fields/actions.ts";
import { int, list } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/realm/profile_fields",
    summary: "Reorders the custom profile fields.",
    caller: "admin",
    params: { order: list(int()) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => orderFields(params.order),
);
