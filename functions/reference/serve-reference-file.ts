import { optional, string, withNote } from "../../shared/base/schema/params.ts";
import type { BuiltName } from "../../shared/base/uses.ts";
import { accessNamed, builtFileReply } from "../../shared/services/http/built-file.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

const files: Record<string, { name: BuiltName; type: string }> = {
  "reference.js": { name: "reference.js", type: "text/javascript; charset=utf-8" },
  "reference.css": { name: "reference.css", type: "text/css; charset=utf-8" },
};

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/reference/{file}",
    summary: "Returns the script or style sheet of the API reference page.",
    caller: "anyone",
    params: {
      file: string({ max: 100 }),
      v: optional(
        withNote(
          string({ max: 100 }),
          "The version in the page's link to the file; with it, the reply can be cached forever.",
        ),
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
