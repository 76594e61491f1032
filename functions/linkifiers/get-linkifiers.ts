import { list } from "../../shared/base/schema/params.ts";
import { linkifierObject, toLinkifierWire } from "../../shared/core/linkifiers/linkifiers.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { readLinkifiers } from "../../shared/store/organization/linkifiers.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/linkifiers",
    summary: "Lists the organization's linkifiers in the order in which they apply.",
    caller: "user",
    params: {},
    returns: { linkifiers: list(linkifierObject) },
    uses: { table: "read" },
  },
  async () => ({ linkifiers: (await readLinkifiers()).linkifiers.map(toLinkifierWire) }),
);
