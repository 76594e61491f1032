import { deleteFile, findFileSize, getFile, putFile } from "../blobs/bucket.ts";
import { maxPixels, type PictureKind, type PictureSize, pictureForms } from "./kinds.ts";
import { fitted } from "./scaling.ts";
import { pictureFileKey, pictureSizeKey, pictureSizeKeys } from "./urls.ts";

/**
 * Makes the sizes in which a picture is served; none of one that cannot be decoded, which is served as it is. Whoever
 * removes a picture removes it before its sizes: what is made of one that is gone goes at once, however often this dies.
 */
export async function addSizes(name: string, kind: PictureKind): Promise<void> {
  const file = pictureFileKey(name);
  const found = await getFile(file);
  if (!found) return removeSizes(name);
  const { fit, boxes } = pictureForms[kind];
  const sizes = Object.keys(boxes) as PictureSize[];
  const contents = await fitted(found.content, { boxes: Object.values(boxes), fit, maxPixels });
  if (!contents) return;
  await Promise.all(
    contents.map((content, place) => putFile(pictureSizeKey(name, sizes[place] as PictureSize), content, "image/png")),
  );
  if ((await findFileSize(file)) === undefined) await removeSizes(name);
}

async function removeSizes(name: string): Promise<void> {
  await Promise.all(pictureSizeKeys(name).map(deleteFile));
}
