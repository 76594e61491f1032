import { pathNotFound } from "../../shared/errors.ts";
import { getFile } from "../../shared/files/bucket.ts";
import { contentFacts, lookedAt } from "../../shared/files/content-types.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { RawReply } from "../../shared/http/raw-reply.ts";
import { pictureAt, pictureFile, sizeFile } from "../../shared/pictures/urls.ts";

/** Open, as clients fetch pictures without credentials; until the size is made, it is the picture itself. */
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
    const picture = pictureAt(params.file);
    const made = picture && (await getFile(sizeFile(picture.name, picture.size)));
    const found = made ?? (picture && (await getFile(pictureFile(picture.name))));
    if (!found) throw pathNotFound();
    const headers = {
      "content-type": contentFacts(found.content.subarray(0, lookedAt), "").contentType,
      "cache-control": made ? "public, max-age=31536000, immutable" : "public, max-age=60",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    };
    return new RawReply(200, headers, found.content);
  },
);
