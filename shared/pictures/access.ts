import { getFile } from "../blobs/bucket.ts";
import { detectContent, maxSniffedBytes } from "../blobs/content-types.ts";
import { pathNotFound } from "../errors.ts";
import { pictureAt, pictureFileKey, pictureSizeKey } from "./urls.ts";

export interface ServedPicture {
  contentType: string;
  content: Uint8Array;
  /** Whether it is the size that was asked for; until that is made, it is the picture itself. */
  isFinal: boolean;
}

/** The picture that the last part of an address names. */
export async function accessPicture(part: string): Promise<ServedPicture> {
  const picture = pictureAt(part);
  const made = picture && (await getFile(pictureSizeKey(picture.name, picture.size)));
  const found = made ?? (picture && (await getFile(pictureFileKey(picture.name))));
  if (!found) throw pathNotFound();
  const { contentType } = detectContent(found.content.subarray(0, maxSniffedBytes), "");
  return { contentType, content: found.content, isFinal: made !== undefined };
}
