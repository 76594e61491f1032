import { deleteFile, findFileSize, getFile, putFile } from "../blobs/bucket.ts";
import { maxPixels, type PictureKind, type PictureSize, pictureForms } from "./kinds.ts";
import { fitToBoxes } from "./scaling.ts";
import { pictureFileKey, pictureSizeKey, pictureSizeKeys } from "./urls.ts";

/**
 * Makes the sizes in which a picture is served. A picture that cannot be decoded is served as it is. If the picture has been
 * removed meanwhile, deletes the sizes again: a removal deletes the picture first, so sizes written after it would stay.
 */
export async function addSizes(name: string, kind: PictureKind): Promise<void> {
  const file = pictureFileKey(name);
  const found = await getFile(file);
  if (!found) return removeSizes(name);
  const { fit, boxes } = pictureForms[kind];
  const sizes = Object.keys(boxes) as PictureSize[];
  const contents = await fitToBoxes(found.content, { boxes: Object.values(boxes), fit, maxPixels });
  if (!contents) return;
  await Promise.all(
    contents.map((content, index) => putFile(pictureSizeKey(name, sizes[index] as PictureSize), content, "image/png")),
  );
  if ((await findFileSize(file)) === undefined) await removeSizes(name);
}

async function removeSizes(name: string): Promise<void> {
  await Promise.all(pictureSizeKeys(name).map(deleteFile));
}
