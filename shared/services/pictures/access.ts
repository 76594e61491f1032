import { pathNotFound } from "../../base/errors.ts";
import { getFile } from "../blobs/bucket.ts";
import { detectContent, maxSniffedBytes } from "../blobs/content-types.ts";
import { pictureAt, pictureFileKey, pictureSizeKey } from "./urls.ts";

interface ServedPicture {
  contentType: string;
  content: Uint8Array;
  /** Whether `content` has the requested size. Until that size has been created, the original picture is served. */
  hasRequestedSize: boolean;
}

/** Returns the picture named by the last segment of a URL's path, or throws a 404. */
export async function accessPublicPicture(lastSegment: string): Promise<ServedPicture> {
  const picture = pictureAt(lastSegment);
  const resized = picture && (await getFile(pictureSizeKey(picture.name, picture.size)));
  const found = resized ?? (picture && (await getFile(pictureFileKey(picture.name))));
  if (!found) throw pathNotFound();
  const { contentType } = detectContent(found.content.subarray(0, maxSniffedBytes), "");
  return { contentType, content: found.content, hasRequestedSize: resized !== undefined };
}
