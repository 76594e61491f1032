/**
 * The maximum of what a list may take in a reply, measured by `jsonBytes`. Lambda limits a response to 6 MB, in which the reply
 * is JSON within JSON: quotation marks and backslashes are escaped again, so that a reply may take twice its bytes.
 */
export const maxReplyBytes = 3_000_000;

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The leading items of a list that fit into a reply: of a list with the newest first, the newest. */
export function leadingItems<T>(items: readonly T[]): T[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += jsonBytes(item);
    return bytes > maxReplyBytes;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}

/** The last items of a list that fit into a reply, in its order: of a list with the newest last, the newest. */
export const trailingItems = <T>(items: readonly T[]): T[] => leadingItems(items.toReversed()).reverse();
