import { ApiError, badRequest } from "../errors.ts";
import { contentFacts, lookedAt } from "../files/content-types.ts";
import { limits } from "../settings.ts";

const kinds = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The kind of a picture by its content; refuses what is none, or larger than a function carries. */
export function checkPicture({ name, content }: { name: string; content: Uint8Array }): string {
  if (content.length > limits.straightFile)
    throw new ApiError(
      "BAD_REQUEST",
      `Uploaded file is larger than the allowed limit of ${limits.straightFile} bytes`,
      {
        status: 413,
      },
    );
  const { contentType, width, height } = contentFacts(content.subarray(0, lookedAt), name);
  if (!kinds.has(contentType) || !width || !height)
    throw badRequest("Could not decode image; did you upload an image file?");
  return contentType;
}
