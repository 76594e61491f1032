import { endpoint } from "../../shared/http/endpoint.ts";
import { linkifierObject, toLinkifierWire } from "../../shared/linkifiers/linkifiers.ts";
import { list } from "../../shared/schema/params.ts";
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
