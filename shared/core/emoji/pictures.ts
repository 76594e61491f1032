import { createHash, randomBytes } from "node:crypto";
import { badRequest, pathNotFound } from "../../base/errors.ts";
import { getFile } from "../../services/blobs/bucket.ts";
import { detectContent, maxSniffedBytes } from "../../services/blobs/content-types.ts";
import { sizeOfImage } from "../../services/blobs/image-sizes.ts";
import { framesOf } from "../../services/pictures/frames.ts";
import { checkPictureSize, checkPixels } from "../../services/pictures/rules.ts";
import { stillOf } from "./stills.ts";
import { emojiFile } from "./urls.ts";

const extensions: Record<string, string> = {
  "image/png": "png",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

const fileNamePattern = /^[0-9a-f]{32}\.[a-z]+$/;

/** Returns an emoji's image by its file name, with its content type. */
export async function accessPicture(file: string): Promise<{ contentType: string; content: Buffer }> {
  const contentType = fileNamePattern.test(file) ? typeOfPicture(file) : undefined;
  const stored = contentType && (await getFile(emojiFile(file)));
  if (!contentType || !stored) throw pathNotFound();
  return { contentType, content: Buffer.from(stored.content) };
}

export interface Picture {
  contentType: string;
  /** The file name. It cannot be guessed: it is random, or derived from the image. */
  name: string;
  content: Buffer;
}

/** A file name derived from the content, so that the same image is stored only once. */
export const nameOfContent = (content: Buffer) => createHash("sha256").update(content).digest("hex").slice(0, 32);
/** A random name, so that no other record refers to the file and it can be deleted with its record. */
export const randomName = () => randomBytes(16).toString("hex");

/** Checks an emoji's image by its content, whatever its declared type. Returns it, with a still if it is animated. */
export function checkPicture(
  file: { name: string; content: Buffer },
  nameFor: (content: Buffer) => string,
): { picture: Picture; still: Picture | undefined } {
  checkPictureSize(file.content);
  const detected = detectContent(file.content.subarray(0, maxSniffedBytes), file.name);
  const { contentType, width, height } = detected;
  const extension = extensions[contentType];
  if (!extension || !width || !height) throw badRequest("Invalid image format");
  checkPixels(detected, file.content);
  const still = stillOf(contentType, file.content);
  const toPicture = (content: Buffer): Picture => ({
    contentType,
    name: `${nameFor(content)}.${extension}`,
    content,
  });
  return { picture: toPicture(file.content), still: still && toPicture(still) };
}

export const extensionOf = (contentType: string): string => extensions[contentType] ?? "";

/** The content type of an image file, by its extension. */
export const typeOfPicture = (name: string): string | undefined =>
  Object.entries(extensions).find(([, extension]) => name.endsWith(`.${extension}`))?.[0];

/** In pixels: twice the size in which clients show an emoji at most, for screens of high density. */
export const emojiBox = { width: 128, height: 128 };

/** Whether an emoji's image, with each of its frames, is as small as it is meant to be. */
export function isSmallEmoji(contentType: string, content: Buffer): boolean {
  const size = sizeOfImage(contentType, content);
  const sizes = [...(size ? [size] : []), ...framesOf(contentType, content)];
  return sizes.every(({ width, height }) => width <= emojiBox.width && height <= emojiBox.height);
}
