import { ApiError, badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { type DetectedContent, detectContent, maxSniffedBytes } from "../blobs/content-types.ts";
import { framesOf } from "./frames.ts";
import { maxFrames, maxPixels } from "./kinds.ts";

const supportedTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Throws a 413 for a picture above the limit that `POST /register` tells clients. */
export function checkPictureSize(content: Uint8Array): void {
  if (content.length > limits.pictureMib * 1024 * 1024)
    throw new ApiError("BAD_REQUEST 413", `Uploaded file is larger than the allowed limit of ${limits.pictureMib} MiB`);
}

/** Throws for a picture with more pixels or frames than the server decodes; reads only the picture's structure. */
export function checkPixels({ contentType, width = 0, height = 0 }: DetectedContent, content: Buffer): void {
  if (width * height > maxPixels) throw badRequest("Image size exceeds limit.");
  let [frames, pixels] = [0, 0];
  for (const frame of framesOf(contentType, content)) {
    frames++;
    // A frame that covers only a part is shown with the rest of the picture.
    pixels += Math.max(width * height, frame.width * frame.height);
    if (frames > maxFrames || pixels > maxPixels)
      throw badRequest(
        `Image size exceeds limit: an animation may have at most ${maxFrames} frames, of together ${maxPixels / 1e6} million pixels.`,
      );
  }
}

/** Returns a picture's content type; throws if it is not a supported picture or is too large. */
export function checkUploadedPicture({ name, content }: { name: string; content: Buffer }): string {
  checkPictureSize(content);
  const detected = detectContent(content.subarray(0, maxSniffedBytes), name);
  const { contentType, width, height } = detected;
  if (!supportedTypes.has(contentType) || !width || !height)
    throw badRequest("Could not decode image; did you upload an image file?");
  checkPixels(detected, content);
  return contentType;
}
