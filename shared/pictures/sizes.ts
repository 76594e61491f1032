import { deleteFile, getFile, putFile, sizeOfFile } from "../blobs/bucket.ts";
import { formsOf, maxPixels, type PictureKind, type PictureSize } from "./kinds.ts";
import { fitted } from "./scaling.ts";
import { pictureFile, sizeFile, sizeFiles } from "./urls.ts";

/**
 * Makes the sizes in which a picture is served; none of one that cannot be decoded, which is served as it is. Whoever
 * removes a picture removes it before its sizes: what is made of one that is gone goes at once, however often this dies.
 */
export async function addSizes(name: string, kind: PictureKind): Promise<void> {
  const file = pictureFile(name);
  const found = await getFile(file);
  if (!found) return removeSizes(name);
  const { fit, boxes } = formsOf[kind];
  const sizes = Object.keys(boxes) as PictureSize[];
  const contents = await fitted(found.content, { boxes: Object.values(boxes), fit, maxPixels });
  if (!contents) return;
  await Promise.all(
    contents.map((content, place) => putFile(sizeFile(name, sizes[place] as PictureSize), content, "image/png")),
  );
  if ((await sizeOfFile(file)) === undefined) await removeSizes(name);
}

async function removeSizes(name: string): Promise<void> {
  await Promise.all(sizeFiles(name).map(deleteFile));
}
