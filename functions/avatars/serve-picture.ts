import { pathNotFound } from "../../shared/errors.ts";
import { getFile } from "../../shared/files/bucket.ts";
import { contentFacts, lookedAt } from "../../shared/files/content-types.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { RawReply } from "../../shared/http/raw-reply.ts";
import { nameOfPicture, pictureFile } from "../../shared/pictures/urls.ts";

/** Open, as clients fetch pictures without credentials; both sizes are the picture itself, which clients scale. */
export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_avatars/{realm_id}/{file}",
    summary: "Returns the picture of a user or of the organization.",
    caller: "anyone",
    params: { realm_id: string({ max: 20 }), file: string({ max: 100 }) },
    returns: "raw",
    raw: { types: ["image/*"] },
    uses: { files: "read" },
  },
  async ({ params }) => {
    const name = nameOfPicture(params.file);
    const found = name === undefined ? undefined : await getFile(pictureFile(name));
    if (!found) throw pathNotFound();
    const headers = {
      "content-type": contentFacts(found.content.subarray(0, lookedAt), "").contentType,
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    };
    return new RawReply(200, headers, found.content);
  },
);
