import { typeOfPicture } from "../../shared/emoji/pictures.ts";
import { emojiFile } from "../../shared/emoji/urls.ts";
import { pathNotFound } from "../../shared/errors.ts";
import { getFile } from "../../shared/files/bucket.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { RawReply } from "../../shared/http/raw-reply.ts";

/** Open, as pictures in messages are fetched without credentials; the name is of the content and cannot be guessed. */
export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_avatars/{realm_id}/emoji/images/{file}",
    summary: "Returns the picture of one of the organization's own emoji.",
    caller: "anyone",
    params: { realm_id: string({ max: 20 }), file: string({ max: 100 }) },
    returns: "raw",
    raw: { types: ["image/*"] },
    uses: { files: "read" },
  },
  async ({ params }) => {
    const type = /^[0-9a-f]{32}\.[a-z]+$/.test(params.file) ? typeOfPicture(params.file) : undefined;
    const found = type && (await getFile(emojiFile(params.file)));
    if (!type || !found) throw pathNotFound();
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    };
    return new RawReply(200, headers, found.content);
  },
);
