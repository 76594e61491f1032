import { int, string } from "../../shared/base/schema/params.ts";
import { addPlayground, checkPlayground } from "../../shared/core/playgrounds/playgrounds.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/realm/playgrounds",
    summary: "Adds a code playground, which clients offer for code blocks in its language.",
    note: "The URL template starts with `http` or `https` and contains the variable `code` and no other. Each combination of language and name is unique.",
    caller: "admin",
    params: {
      name: string({ max: 1000 }),
      pygments_language: string({ max: 40 }),
      url_template: string({ max: 1000 }),
    },
    returns: { id: int() },
    creates: "playground",
    uses: { table: "readWrite" },
  },
  async ({ params: { name, pygments_language: language, url_template: urlTemplate } }) => {
    const { change, id } = await addPlayground(checkPlayground({ name, language, urlTemplate }));
    return { change, reply: { id } };
  },
);
