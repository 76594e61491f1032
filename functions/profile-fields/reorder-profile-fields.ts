import { int, list } from "../../shared/base/schema/params.ts";
import { orderFields } from "../../shared/core/profile-fields/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/realm/profile_fields",
    summary: "Reorders the custom profile fields.",
    caller: "admin",
    params: { order: list(int()) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await orderFields(params.order) }),
);
