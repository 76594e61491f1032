import { builtFileReply } from "../../shared/services/http/built-file.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/openapi.json",
    summary: "Describes this API as an OpenAPI 3.1 document.",
    caller: "anyone",
    params: {},
    returns: "raw",
    raw: { types: ["application/json"], statuses: [304] },
    uses: { built: ["openapi.json"] },
  },
  ({ request }) => builtFileReply("openapi.json", request, { "content-type": "application/json" }),
);
