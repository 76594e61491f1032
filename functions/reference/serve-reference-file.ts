import { pathNotFound } from "../../shared/errors.ts";
import { builtFile } from "../../shared/http/built-file.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { noted, optional, string } from "../../shared/http/params.ts";

const types = {
  "reference.js": "text/javascript; charset=utf-8",
  "reference.css": "text/css; charset=utf-8",
};

const isFile = (name: string): name is keyof typeof types => Object.hasOwn(types, name);

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/reference/{file}",
    summary: "Returns the program or the style sheet of the reference page.",
    caller: "anyone",
    params: {
      file: string({ max: 100 }),
      v: optional(
        noted(string({ max: 100 }), "The file's version, as the page names it: then it may be kept for good."),
      ),
    },
    returns: "raw",
    raw: { types: Object.values(types), statuses: [304] },
    uses: { built: ["reference.js", "reference.css"] },
  },
  async ({ params: { file, v }, request }) => {
    if (!isFile(file)) throw pathNotFound();
    return builtFile(file, request, { "content-type": types[file], version: v });
  },
);
