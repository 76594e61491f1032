import { createHash } from "node:crypto";
import { badRequest } from "../errors.ts";
import { contentFacts, lookedAt } from "../files/content-types.ts";
import { stillOf } from "./stills.ts";

/** Bytes that an emoji's picture may have. */
export const mostPictureMib = 5;

const endings: Record<string, string> = {
  "image/png": "png",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

export interface Picture {
  contentType: string;
  /** The file's name: of its content, so that the same picture is the same file. */
  name: string;
  content: Buffer;
}

/** A picture for an emoji, by its content alone, with a still if it moves; refuses what is none. */
export function checkPicture(file: { name: string; content: Buffer }): {
  picture: Picture;
  still: Picture | undefined;
} {
  if (file.content.length > mostPictureMib * 1024 * 1024)
    throw badRequest(`Uploaded file is larger than the allowed limit of ${mostPictureMib} MiB`);
  const { contentType, width, height } = contentFacts(file.content.subarray(0, lookedAt), file.name);
  const ending = endings[contentType];
  if (!ending || !width || !height) throw badRequest("Invalid image format");
  const still = stillOf(contentType, file.content);
  const named = (content: Buffer): Picture => ({
    contentType,
    name: `${createHash("sha256").update(content).digest("hex").slice(0, 32)}.${ending}`,
    content,
  });
  return { picture: named(file.content), still: still && named(still) };
}

/** The content type of a picture's file. */
export const typeOfPicture = (name: string): string | undefined =>
  Object.entries(endings).find(([, ending]) => name.endsWith(`.${ending}`))?.[0];
