import { endpoint } from "../../shared/http/endpoint.ts";
import { editLinkifier } from "../../shared/linkifiers/linkifiers.ts";
import { int, string } from "../../shared/schema/params.ts";

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
