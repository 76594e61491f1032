import { endpoint } from "../../shared/http/endpoint.ts";
import { orderLinkifiers } from "../../shared/linkifiers/linkifiers.ts";
import { int, list } from "../../shared/schema/params.ts";

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
