import { int, list } from "../../shared/base/schema/params.ts";
import { orderLinkifiers } from "../../shared/core/linkifiers/linkifiers.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/realm/linkifiers",
    summary: "Changes the order in which linkifiers apply.",
    caller: "admin",
    params: { ordered_linkifier_ids: list(int()) },
    returns: {},
    uses: { table: "readWrite" },
  },
  ({ params }) => orderLinkifiers(params.ordered_linkifier_ids),
);
