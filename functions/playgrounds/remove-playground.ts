import { int } from "../../shared/base/schema/params.ts";
import { removePlayground } from "../../shared/core/playgrounds/playgrounds.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/playgrounds/{playground_id}",
    summary: "Removes a code playground.",
    caller: "admin",
    params: { playground_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => removePlayground(params.playground_id),
);
