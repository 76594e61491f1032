/**
 * Reads that many polls of one process make at the same moment, of the same thing, are made once: a message that fifty
 * clients wait for is read once. A function that is alone in its process gains and loses nothing.
 */

interface Kept {
  until: number;
  value: Promise<unknown>;
}

const kept = new Map<string, Kept>();
const mostKept = 1000;

/** What `read` returned for this name at most `ms` ago, or what it returns now. */
export function sharedRead<T>(name: string, ms: number, read: () => Promise<T>): Promise<T> {
  // Several tables in one process are told apart.
  const key = `${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${process.env.TABLE_NAME} ${name}`;
  const known = kept.get(key);
  // Another's failure is not ours: then the read is made again.
  if (known && known.until > Date.now()) return (known.value as Promise<T>).catch(read);
  const value = read();
  kept.delete(key);
  kept.set(key, { until: Date.now() + ms, value });
  value.catch(() => kept.delete(key));
  for (const oldest of kept.keys()) {
    if (kept.size <= mostKept) break;
    kept.delete(oldest);
  }
  return value;
}
