import { string } from "../../shared/base/schema/params.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { publicPicture } from "../../shared/services/http/raw-reply.ts";
import { accessPublicPicture } from "../../shared/services/pictures/access.ts";

/** Needs no credentials, as clients fetch pictures without them. Serves the original until the requested size exists. */
export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_avatars/{realm_id}/{file}",
    summary: "Returns the avatar of a user, or the organization's icon or logo.",
    note: "An avatar is a PNG of 100 by 100 pixels, or of 500 by 500 as `-medium.png`; an icon is a PNG of 100 by 100. Both are cropped to the middle. A logo is scaled to fit 800 by 100. All are stills. They are made a moment after the upload: until then, and if the picture cannot be decoded, the same address returns the original, cacheable for a minute. Addresses are public but cannot be guessed. A replaced picture stays available for a day.",
    caller: "anyone",
    params: { realm_id: string({ max: 20 }), file: string({ max: 100 }) },
    returns: "raw",
    raw: { types: ["image/*"] },
    errors: ["NOT_FOUND"],
    uses: { files: "read" },
  },
  async ({ params }) => {
    const { contentType, content, hasRequestedSize } = await accessPublicPicture(params.file);
    return publicPicture(contentType, content, { isFinal: hasRequestedSize });
  },
);
