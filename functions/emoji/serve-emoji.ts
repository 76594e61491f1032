import { string } from "../../shared/base/schema/params.ts";
import { accessPicture, isSmallEmoji } from "../../shared/core/emoji/pictures.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { publicPicture } from "../../shared/services/http/raw-reply.ts";

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
    // A large image is about to be replaced by a smaller one.
    return publicPicture(contentType, content, { isFinal: isSmallEmoji(contentType, content) });
  },
);
