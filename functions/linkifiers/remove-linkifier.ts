import { int } from "../../shared/base/schema/params.ts";
import { removeLinkifier } from "../../shared/core/linkifiers/linkifiers.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/filters/{filter_id}",
    summary: "Removes a linkifier. Existing messages keep the links that it created.",
    caller: "admin",
    params: { filter_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  ({ params }) => removeLinkifier(params.filter_id),
);
