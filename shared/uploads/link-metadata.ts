import { findUploads } from "../store/organization/uploads.ts";

/** Loads what the renderer needs of linked files, at 1 read unit each; links without a file are left out. */
export async function loadUploadMetadata(links: readonly string[]) {
  const named = links.flatMap((link) => toPathIds(link).map((pathId) => ({ link, pathId })));
  const found = named.length > 0 ? await findUploads(named.map(({ pathId }) => pathId)) : [];
  return named.flatMap(({ link: path }, index) => {
    const upload = found[index];
    if (!upload) return [];
    const { contentType, width, height } = upload;
    return [{ path, contentType, ...(width !== undefined && height !== undefined && { width, height }) }];
  });
}

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
