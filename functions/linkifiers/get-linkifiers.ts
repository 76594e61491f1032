import { endpoint } from "../../shared/http/endpoint.ts";
import { list } from "../../shared/http/params.ts";
import { linkifierObject, wireLinkifier } from "../../shared/linkifiers/wire.ts";
import { readLinkifiers } from "../../shared/store/linkifiers.ts";

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
  async () => ({ linkifiers: (await readLinkifiers()).linkifiers.map(wireLinkifier) }),
);
