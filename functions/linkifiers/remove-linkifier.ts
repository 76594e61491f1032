import { endpoint } from "../../shared/http/endpoint.ts";
import { removeLinkifier } from "../../shared/linkifiers/actions.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/filters/{filter_id}",
    summary: "Removes a linkifier; messages that it has linked keep their links.",
    caller: "admin",
    params: { filter_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  ({ params }) => removeLinkifier(params.filter_id),
);
