import { string } from "../../shared/base/schema/params.ts";
import type { BuiltName } from "../../shared/base/uses.ts";
import { accessNamed, builtFileReply } from "../../shared/services/http/built-file.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

/** Images that rendered messages refer to, at the URLs that Zulip clients expect. */
const pictures: Record<string, { file: BuiltName; type: string }> = {
  "generated/emoji/images/emoji/unicode/zulip.png": { file: "zulip.png", type: "image/png" },
  "images/loading/loader-black.svg": { file: "loader-black.svg", type: "image/svg+xml" },
};

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/static/{path+}",
    summary: "Returns an image that rendered messages of any organization may contain.",
    caller: "anyone",
    params: { path: string({ max: 200 }) },
    returns: "raw",
    raw: { types: ["image/png", "image/svg+xml"], statuses: [304] },
    errors: ["NOT_FOUND"],
    uses: { built: ["zulip.png", "loader-black.svg"] },
  },
  async ({ params, request }) => {
    const picture = accessNamed(pictures, params.path);
    return builtFileReply(picture.file, request, {
      "content-type": picture.type,
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "public, max-age=86400",
    });
  },
);
