import { findUploads } from "../../store/organization/uploads.ts";

/**
 * The metadata of linked files that the renderer needs, without links to missing files; 1 read unit each, unless `find` knows the
 * files.
 */
export async function loadUploadMetadata(links: readonly string[], find: typeof findUploads = findUploads) {
  const pathIds = links.flatMap((link) => toPathIds(link).map((pathId) => ({ link, pathId })));
  const found = pathIds.length > 0 ? await find(pathIds.map(({ pathId }) => pathId)) : [];
  return pathIds.flatMap(({ link: path }, index) => {
    const upload = found[index];
    if (!upload) return [];
    const { contentType, width, height } = upload;
    return [{ path, contentType, ...(width !== undefined && height !== undefined && { width, height }) }];
  });
}

/** The path IDs of the files that a text in Markdown links to. */
export const linkedPathIds = (content: string): string[] =>
  (content.match(/\/user_uploads\/[^\s()<>"']+/g) ?? []).flatMap(toPathIds);

/** The path ID of a link to a file, as a list; empty for links to previews and malformed ones. */
export function toPathIds(link: string): string[] {
  const [, encoded] = /^\/user_uploads\/(\d+\/[0-9a-f]{2}\/[\w-]+\/[^/?#]+)$/.exec(link) ?? [];
  if (encoded === undefined) return [];
  try {
    return [decodeURIComponent(encoded)];
  } catch {
    return [encoded];
  }
}
