import { ProcessCache, readOnce } from "../process-cache.ts";

/**
 * Reads that many polls of one process make at the same moment, of the same thing, are made once: a message that fifty
 * clients wait for is read once. A function that is alone in its process gains and loses nothing.
 */

const kept = new ProcessCache<string, Promise<unknown>>({ max: 1000 });

/** What `read` returned for this name at most `ttlMs` ago, or what it returns now. */
export function sharedRead<T>(name: string, ttlMs: number, read: () => Promise<T>): Promise<T> {
  const known = kept.get(name);
  // When the read of another request fails, this one makes its own.
  return (known ? known.catch(read) : readOnce(kept, name, read, { ttlMs })) as Promise<T>;
}
