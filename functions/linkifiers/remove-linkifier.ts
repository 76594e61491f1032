import { int } from "../../shared/base/schema/params.ts";
import { removeLinkifier } from "../../shared/core/linkifiers/linkifiers.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/realm/filters/{filter_id}",
    summary: "Removes a linkifier. Existing messages keep the links that it created.",
    caller: "admin",
    params: { filter_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await removeLinkifier(params.filter_id) }),
);
