import { realmId } from "../limits.ts";
import { type PictureSize, pictureSizes } from "./kinds.ts";

/** Where a picture of a person or of the organization is found: open to all, under a name that nobody can guess. */
export const pictureAddress = (name: string, size: PictureSize = "small") =>
  `/user_avatars/${realmId}/${name}${size === "medium" ? "-medium" : ""}.png`;

/** What the last part of a picture's address names; undefined when it is none. */
export function pictureAt(part: string): { name: string; size: PictureSize } | undefined {
  const [, name, medium] = /^([0-9a-f]{40})(-medium)?\.png$/.exec(part) ?? [];
  return name === undefined ? undefined : { name, size: medium ? "medium" : "small" };
}

/** The key of an upload's preview in the bucket. */
export const previewFileKey = (name: string) => `previews/${name}`;

/** The key of a picture in the bucket, as it was sent. */
export const pictureFileKey = (name: string) => `avatars/${name}`;

/** The key of a picture in the bucket, as it is served. */
export const pictureSizeKey = (name: string, size: PictureSize) => `${pictureFileKey(name)}-${size}`;

/** The keys of all that is made of a picture. */
export const pictureSizeKeys = (name: string) => pictureSizes.map((size) => pictureSizeKey(name, size));
