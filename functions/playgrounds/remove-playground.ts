import { endpoint } from "../../shared/http/endpoint.ts";
import { removePlayground } from "../../shared/playgrounds/playgrounds.ts";
import { int } from "../../shared/schema/params.ts";

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
