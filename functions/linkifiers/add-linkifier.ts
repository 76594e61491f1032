import { endpoint } from "../../shared/http/endpoint.ts";
import { addLinkifier } from "../../shared/linkifiers/linkifiers.ts";
import { int, string } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/filters",
    summary: "Adds a linkifier: text that matches its pattern becomes a link.",
    caller: "admin",
    params: { pattern: string({ max: 1000 }), url_template: string({ max: 1000 }) },
    returns: { id: int() },
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ id: await addLinkifier({ pattern: params.pattern, urlTemplate: params.url_template }) }),
);
