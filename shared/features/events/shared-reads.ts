import { ProcessCache, readThrough } from "../../base/process-cache.ts";

/**
 * Shares identical reads among concurrent polls of a process, and among the posts to connections: a message that fifty clients wait
 * for is read once. In a Lambda function that answers one poll, this has no effect.
 */

const sharedReads = new ProcessCache<string, Promise<unknown>>({ minRetained: 1000 });

/** Returns the result of `read` for this name if it is at most `ttlMs` old; otherwise calls `read`. */
export function sharedRead<T>(name: string, ttlMs: number, read: () => Promise<T>): Promise<T> {
  const sharedResult = sharedReads.get(name);
  // If the shared read fails, this request makes a read of its own.
  return (sharedResult ? sharedResult.catch(read) : readThrough(sharedReads, name, read, { ttlMs })) as Promise<T>;
}

/**
 * Like `sharedRead`, for several items in the order of `ids`: `readAll` reads in one call the items that no poll has read or is
 * reading.
 */
export function sharedReadAll<Id, T>(
  ids: readonly Id[],
  nameOf: (id: Id) => string,
  ttlMs: number,
  readAll: (ids: readonly Id[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const missing = [...new Set(ids)].filter((id) => sharedReads.get(nameOf(id)) === undefined);
  const reading = missing.length > 0 ? readAll(missing) : Promise.resolve([]);
  const ownReads = new Map(
    missing.map((id, index) => {
      const read = async () => (await reading)[index] as T;
      return [id, readThrough(sharedReads, nameOf(id), read, { ttlMs }) as Promise<T>];
    }),
  );
  const readAlone = (id: Id) => sharedRead(nameOf(id), ttlMs, async () => (await readAll([id]))[0] as T);
  return Promise.all(ids.map((id) => ownReads.get(id) ?? readAlone(id)));
}
