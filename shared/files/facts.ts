import { findUploads } from "../store/uploads.ts";
import { pathOfLink } from "./paths.ts";

/** What the renderer shows of uploaded files, by the links to them; 1 read unit each. Links to none are left out. */
export async function uploadFacts(links: readonly string[]) {
  const named = links.flatMap((link) => pathOfLink(link).map((pathId) => ({ link, pathId })));
  const found = named.length > 0 ? await findUploads(named.map(({ pathId }) => pathId)) : [];
  return named.flatMap(({ link: path }, index) => {
    const upload = found[index];
    if (!upload) return [];
    const { contentType, width, height } = upload;
    return [{ path, contentType, ...(width !== undefined && height !== undefined && { width, height }) }];
  });
}
