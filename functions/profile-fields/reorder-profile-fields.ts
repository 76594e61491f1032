import { int, list } from "../../shared/base/schema/params.ts";
import { orderFields } from "../../shared/core/profile-fields/actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

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
