/** The file that a link names; links to previews and without a file's four parts name none. */
export function pathOfLink(link: string): string[] {
  const [, encoded] = /^\/user_uploads\/(\d+\/[0-9a-f]{2}\/[\w-]+\/[^/?#]+)$/.exec(link) ?? [];
  if (encoded === undefined) return [];
  try {
    return [decodeURIComponent(encoded)];
  } catch {
    return [encoded];
  }
}
