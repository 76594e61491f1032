import { noSuchFile } from "./access.ts";

/** The preview sizes that clients may ask for; all are answered by the picture itself (docs/decisions.md). */
export const thumbnailFormats = ["840x560.webp", "840x560-anim.webp"] as const;

/** The file behind a preview's path: "1/4f/<random>/<name>/840x560.webp". */
export function imageOfThumbnail(path: string): string {
  const at = path.lastIndexOf("/");
  const format = path.slice(at + 1);
  if (!thumbnailFormats.some((known) => known === format)) throw noSuchFile();
  return path.slice(0, at);
}
