import { string } from "../../shared/base/schema/params.ts";
import { accessPicture, isSmallEmoji } from "../../shared/core/emoji/pictures.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { RawReply } from "../../shared/services/http/raw-reply.ts";

/** Needs no credentials, as pictures in messages are fetched without them. The file name cannot be guessed. */
export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_avatars/{realm_id}/emoji/images/{file}",
    summary: "Returns the image of a custom emoji.",
    caller: "anyone",
    params: { realm_id: string({ max: 20 }), file: string({ max: 100 }) },
    returns: "raw",
    raw: { types: ["image/*"] },
    errors: ["NOT_FOUND"],
    uses: { files: "read" },
  },
  async ({ params }) => {
    const { contentType, content } = await accessPicture(params.file);
    const headers = {
      "content-type": contentType,
      // A large image is about to be replaced by a smaller one.
      "cache-control": isSmallEmoji(contentType, content)
        ? "public, max-age=31536000, immutable"
        : "public, max-age=60",
      "content-security-policy": "default-src 'none'; sandbox",
    };
    return new RawReply(200, headers, content);
  },
);
