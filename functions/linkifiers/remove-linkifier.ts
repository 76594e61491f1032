import { endpoint } from "../../shared/http/endpoint.ts";
import { removeLinkifier } from "../../shared/linkifiers/linkifiers.ts";
import { int } from "../../shared/schema/params.ts";

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
