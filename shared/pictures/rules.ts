import { ApiError, badRequest } from "../errors.ts";
import { contentFacts, lookedAt } from "../files/content-types.ts";
import { limits } from "../settings.ts";

const kinds = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Refuses a picture that is larger than clients are told at registration. */
export function checkPictureSize(content: Uint8Array): void {
  if (content.length > limits.pictureMib * 1024 * 1024)
    throw new ApiError("BAD_REQUEST", `Uploaded file is larger than the allowed limit of ${limits.pictureMib} MiB`, {
      status: 413,
    });
}

/** The kind of a picture by its content; refuses what is none, or too large. */
export function checkPicture({ name, content }: { name: string; content: Uint8Array }): string {
  checkPictureSize(content);
  const { contentType, width, height } = contentFacts(content.subarray(0, lookedAt), name);
  if (!kinds.has(contentType) || !width || !height)
    throw badRequest("Could not decode image; did you upload an image file?");
  return contentType;
}
