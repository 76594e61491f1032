import { realmId } from "../../base/limits.ts";
import { type PictureSize, pictureSizes } from "./kinds.ts";

/** The URL path of a user's or the organization's picture. It is public, but its name is unguessable. */
export const pictureAddress = (name: string, size: PictureSize = "small") =>
  `/user_avatars/${realmId}/${name}${size === "medium" ? "-medium" : ""}.png`;

/** Parses the last segment of a picture's URL; undefined if it is invalid. */
export function pictureAt(part: string): { name: string; size: PictureSize } | undefined {
  const [, name, medium] = /^([0-9a-f]{40})(-medium)?\.png$/.exec(part) ?? [];
  return name === undefined ? undefined : { name, size: medium ? "medium" : "small" };
}

export const previewFileKey = (name: string) => `previews/${name}`;

export const pictureFileKey = (name: string) => `avatars/${name}`;

export const pictureSizeKey = (name: string, size: PictureSize) => `${pictureFileKey(name)}-${size}`;

export const pictureSizeKeys = (name: string) => pictureSizes.map((size) => pictureSizeKey(name, size));
