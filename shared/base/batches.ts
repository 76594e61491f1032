/** Consecutive batches of at most `size` items. */
export function* batchesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** The results of `run` for each item, in order. Runs a batch of at most `size` items at a time. */
export async function mapInBatches<T, R>(
  items: readonly T[],
  size: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const batch of batchesOf(items, size)) results.push(...(await Promise.all(batch.map((item) => run(item)))));
  return results;
}
