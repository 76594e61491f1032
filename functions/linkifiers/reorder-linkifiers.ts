import { int, list } from "../../shared/base/schema/params.ts";
import { orderLinkifiers } from "../../shared/core/linkifiers/linkifiers.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/realm/linkifiers",
    summary: "Changes the order in which linkifiers apply.",
    caller: "admin",
    params: { ordered_linkifier_ids: list(int()) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await orderLinkifiers(params.ordered_linkifier_ids) }),
);
