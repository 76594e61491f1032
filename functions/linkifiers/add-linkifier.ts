import { int, string } from "../../shared/base/schema/params.ts";
import { addLinkifier } from "../../shared/core/linkifiers/linkifiers.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/realm/filters",
    summary: "Adds a linkifier: text that matches its pattern becomes a link.",
    note: "The pattern and the template may have at most 1,000 characters each. A pattern uses the subset of regular expressions that is matched in linear time; patterns that would be slow on long texts are refused. A URL with a scheme that is unsafe in a browser is not linked. In one message, all linkifiers together may take 2,000,000 steps (a pattern's instructions times characters read); text beyond that stays plain.",
    caller: "admin",
    params: { pattern: string({ max: 1000 }), url_template: string({ max: 1000 }) },
    returns: { id: int() },
    creates: "linkifier",
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    const { change, id } = await addLinkifier({ pattern: params.pattern, urlTemplate: params.url_template });
    return { change, reply: { id } };
  },
);
