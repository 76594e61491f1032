import { type DetectedContent, detectContent, maxSniffedBytes } from "../blobs/content-types.ts";
import { ApiError, badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import { maxPixels } from "./kinds.ts";

const supportedTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Throws a 413 for a picture above the limit that `POST /register` tells clients. */
export function checkPictureSize(content: Uint8Array): void {
  if (content.length > limits.pictureMib * 1024 * 1024)
    throw new ApiError("BAD_REQUEST 413", `Uploaded file is larger than the allowed limit of ${limits.pictureMib} MiB`);
}

/** Throws for a picture with more pixels than the server decodes. */
export function checkPixels({ width = 0, height = 0 }: DetectedContent): void {
  if (width * height > maxPixels) throw badRequest("Image size exceeds limit.");
}

/** Returns a picture's content type; throws if it is not a supported picture or is too large. */
export function checkUploadedPicture({ name, content }: { name: string; content: Uint8Array }): string {
  checkPictureSize(content);
  const detected = detectContent(content.subarray(0, maxSniffedBytes), name);
  const { contentType, width, height } = detected;
  if (!supportedTypes.has(contentType) || !width || !height)
    throw badRequest("Could not decode image; did you upload an image file?");
  checkPixels(detected);
  return contentType;
}
