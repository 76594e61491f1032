import { ProcessCache, readOnce } from "../process-cache.ts";

/**
 * Shares identical reads among concurrent polls of a process: a message that fifty clients wait for is read once. In a
 * Lambda function, which is alone in its process, this has no effect.
 */

const sharedReads = new ProcessCache<string, Promise<unknown>>({ max: 1000 });

/** Returns the result of `read` for this name if it is at most `ttlMs` old; otherwise calls `read`. */
export function sharedRead<T>(name: string, ttlMs: number, read: () => Promise<T>): Promise<T> {
  const known = sharedReads.get(name);
  // If the shared read fails, this request makes its own.
  return (known ? known.catch(read) : readOnce(sharedReads, name, read, { ttlMs })) as Promise<T>;
}
