import { createHash, randomBytes } from "node:crypto";
import { getFile } from "../blobs/bucket.ts";
import { detectContent, maxSniffedBytes } from "../blobs/content-types.ts";
import { badRequest, pathNotFound } from "../errors.ts";
import { checkPictureSize, checkPixels } from "../pictures/rules.ts";
import { stillOf } from "./stills.ts";
import { emojiFile } from "./urls.ts";

const endings: Record<string, string> = {
  "image/png": "png",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

const ownFile = /^[0-9a-f]{32}\.[a-z]+$/;

/** An emoji's picture by its file's name, with its media type. */
export async function accessPicture(file: string): Promise<{ contentType: string; content: Uint8Array }> {
  const contentType = ownFile.test(file) ? typeOfPicture(file) : undefined;
  const found = contentType && (await getFile(emojiFile(file)));
  if (!contentType || !found) throw pathNotFound();
  return { contentType, content: found.content };
}

export interface Picture {
  contentType: string;
  /** The file's name, which nobody can guess who does not have the picture. */
  name: string;
  content: Buffer;
}

/** A name that follows from the content: storing a picture again is storing it once. */
export const nameOfContent = (content: Buffer) => createHash("sha256").update(content).digest("hex").slice(0, 32);
/** A name of its own, so that the file can be removed with what it was stored for. */
export const newName = () => randomBytes(16).toString("hex");

/** A picture for an emoji, by its content alone, with a still if it moves; refuses what is none. */
export function checkPicture(
  file: { name: string; content: Buffer },
  nameFor: (content: Buffer) => string,
): { picture: Picture; still: Picture | undefined } {
  checkPictureSize(file.content);
  const facts = detectContent(file.content.subarray(0, maxSniffedBytes), file.name);
  const { contentType, width, height } = facts;
  const ending = endings[contentType];
  if (!ending || !width || !height) throw badRequest("Invalid image format");
  checkPixels(facts);
  const still = stillOf(contentType, file.content);
  const named = (content: Buffer): Picture => ({
    contentType,
    name: `${nameFor(content)}.${ending}`,
    content,
  });
  return { picture: named(file.content), still: still && named(still) };
}

/** The content type of a picture's file. */
export const typeOfPicture = (name: string): string | undefined =>
  Object.entries(endings).find(([, ending]) => name.endsWith(`.${ending}`))?.[0];
