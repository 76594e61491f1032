import { int, string } from "../../shared/base/schema/params.ts";
import { editLinkifier } from "../../shared/core/linkifiers/linkifiers.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/realm/filters/{filter_id}",
    summary: "Changes a linkifier's pattern and URL template.",
    caller: "admin",
    params: { filter_id: int(), pattern: string({ max: 1000 }), url_template: string({ max: 1000 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  ({ params }) => editLinkifier({ id: params.filter_id, pattern: params.pattern, urlTemplate: params.url_template }),
);
