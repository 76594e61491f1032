import { getFile, putFile } from "../../services/blobs/bucket.ts";
import { maxPixels } from "../../services/pictures/kinds.ts";
import { shrinkToBox } from "../../services/pictures/scaling.ts";
import { emojiBox, extensionOf, isSmallEmoji, typeOfPicture } from "./pictures.ts";
import { emojiFile } from "./urls.ts";

/** Replaces images of emoji that are too large. One that cannot be decoded stays as it is. Idempotent. */
export async function shrinkEmoji(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const [contentType, found] = [typeOfPicture(file), await getFile(emojiFile(file))];
    if (!contentType || !found || isSmallEmoji(contentType, Buffer.from(found.content))) continue;
    const options = { ...emojiBox, extension: extensionOf(contentType), maxPixels };
    const content = await shrinkToBox(found.content, options);
    if (content) await putFile(emojiFile(file), content, contentType);
  }
}
