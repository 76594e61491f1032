import { accessNamed, builtFileReply } from "../../shared/http/built-file.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { optional, string, withNote } from "../../shared/schema/params.ts";
import type { BuiltName } from "../../shared/uses.ts";

const files: Record<string, { name: BuiltName; type: string }> = {
  "reference.js": { name: "reference.js", type: "text/javascript; charset=utf-8" },
  "reference.css": { name: "reference.css", type: "text/css; charset=utf-8" },
};

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
        withNote(string({ max: 100 }), "The file's version, as the page names it: then it may be kept for good."),
      ),
    },
    returns: "raw",
    raw: { types: Object.values(files).map(({ type }) => type), statuses: [304] },
    errors: ["NOT_FOUND"],
    uses: { built: ["reference.js", "reference.css"] },
  },
  async ({ params: { file, v }, request }) => {
    const { name, type } = accessNamed(files, file);
    return builtFileReply(name, request, { "content-type": type, version: v });
  },
);
