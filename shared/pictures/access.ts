import { getFile } from "../blobs/bucket.ts";
import { detectContent, maxSniffedBytes } from "../blobs/content-types.ts";
import { pathNotFound } from "../errors.ts";
import { pictureAt, pictureFileKey, pictureSizeKey } from "./urls.ts";

export interface ServedPicture {
  contentType: string;
  content: Uint8Array;
  /** Whether it has the requested size. Until that has been made, the original picture is served. */
  isFinal: boolean;
}

/** The picture named by the last segment of a URL's path, or a 404. */
export async function accessPublicPicture(part: string): Promise<ServedPicture> {
  const picture = pictureAt(part);
  const made = picture && (await getFile(pictureSizeKey(picture.name, picture.size)));
  const found = made ?? (picture && (await getFile(pictureFileKey(picture.name))));
  if (!found) throw pathNotFound();
  const { contentType } = detectContent(found.content.subarray(0, maxSniffedBytes), "");
  return { contentType, content: found.content, isFinal: made !== undefined };
}
