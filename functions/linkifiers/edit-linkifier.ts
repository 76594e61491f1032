import { int, string } from "../../shared/base/schema/params.ts";
import { editLinkifier } from "../../shared/core/linkifiers/linkifiers.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/realm/filters/{filter_id}",
    summary: "Changes a linkifier's pattern and URL template.",
    caller: "admin",
    params: { filter_id: int(), pattern: string({ max: 1000 }), url_template: string({ max: 1000 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params: { filter_id: id, pattern, url_template: urlTemplate } }) => ({
    change: await editLinkifier({ id, pattern, urlTemplate }),
  }),
);
