import { int } from "../../shared/base/schema/params.ts";
import { removePlayground } from "../../shared/core/playgrounds/playgrounds.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/realm/playgrounds/{playground_id}",
    summary: "Removes a code playground.",
    caller: "admin",
    params: { playground_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await removePlayground(params.playground_id) }),
);
