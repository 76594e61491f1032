/**
 * The maximum of what a list may take in a reply, measured by `jsonBytes`. Lambda limits a response to 6 MB, in which the reply
 * is JSON within JSON: quotation marks and backslashes are escaped again, so that a reply may take twice its bytes.
 */
export const maxReplyBytes = 3_000_000;

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * The leading items of a list that fit into a reply: of a list with the newest first, the newest. Takes only one more from an
 * iterator, so that items which are long when they are converted can be converted one by one.
 */
export function leadingItems<T>(items: Iterable<T>): T[] {
  const leading: T[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += jsonBytes(item);
    if (bytes > maxReplyBytes) break;
    leading.push(item);
  }
  return leading;
}

/** The last items of a list that fit into a reply, in its order: of a list with the newest last, the newest. */
export const trailingItems = <T>(items: readonly T[]): T[] => leadingItems(items.toReversed()).reverse();
