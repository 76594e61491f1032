/**
 * The origin of the URL by which people reach the server, such as `https://chat.example`; undefined if it has a path or is no
 * URL.
 */
export function parseServerUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
}
