import { InvocationValue } from "../../invocation.ts";
import type { Item, Key } from "./writes.ts";

/**
 * Reads that a request starts before it needs them, mostly in parallel with authentication. The first later read of the
 * same items returns the result, so that it adds no round trip.
 */
interface RequestReads {
  items: Prefetched;
  pages: Prefetched;
  isPrefetching: boolean;
}

class Prefetched {
  readonly #reads = new Map<string, Promise<unknown>>();

  set(name: string, read: Promise<unknown>): void {
    // A refused request never awaits the read, whose failure must not end the process.
    read.catch(() => {});
    this.#reads.set(name, read);
  }

  /** Returns each prefetched result only once: a repeated read wants the current state. */
  take<T>(name: string): Promise<T> | undefined {
    const read = this.#reads.get(name);
    this.#reads.delete(name);
    return read as Promise<T> | undefined;
  }

  delete(name: string): void {
    this.#reads.delete(name);
  }

  clear(): void {
    this.#reads.clear();
  }
}

const requests = new InvocationValue<RequestReads>("prefetched reads");

/** Runs a request whose reads return the results of `prefetch`. */
export const withPrefetching = <T>(work: () => Promise<T>): Promise<T> =>
  requests.run({ items: new Prefetched(), pages: new Prefetched(), isPrefetching: false }, work);

/** Starts reads for the running request. Their failure is ignored: the request then reads again. */
export function prefetch(reads: () => Promise<unknown>): void {
  const request = requests.get();
  if (request) requests.run({ ...request, isPrefetching: true }, reads).catch(() => {});
}

/** Whether the running read is a prefetch. Its result is not merged with recent writes: the read that takes it does that. */
export const isPrefetching = (): boolean => requests.get()?.isPrefetching === true;

/** Returns the request's prefetched result of this name, or reads it; while prefetching, also stores it. */
function prefetchedOr<T>(kind: "items" | "pages", name: string, read: () => Promise<T>): Promise<T> {
  const request = requests.get();
  if (!request) return read();
  if (!request.isPrefetching) return request[kind].take<T>(name)?.catch(read) ?? read();
  const started = read();
  request[kind].set(name, started);
  return started;
}

const nameOf = ({ pk, sk }: Key, consistent: boolean) => `${consistent}\n${pk}\n${sk}`;

export const prefetchedItem = <T extends object = Item>(
  key: Key,
  consistent: boolean,
  read: () => Promise<T | undefined>,
) => prefetchedOr("items", nameOf(key, consistent), read);

/** A page of a query. `pageId` identifies the query and the page. */
export const prefetchedPage = <Page>(pageId: object, read: () => Promise<Page>) =>
  prefetchedOr("pages", JSON.stringify(pageId), read);

/** Several items, in no particular order; `read` reads those that are not prefetched. */
export async function prefetchedItems(
  keys: readonly Key[],
  consistent: boolean,
  read: (keys: readonly Key[]) => Promise<Item[]>,
): Promise<Item[]> {
  const request = requests.get();
  if (!request) return read(keys);
  if (request.isPrefetching) {
    const items = read(keys);
    const byName = items.then((found) => new Map(found.map((item) => [nameOf(item, consistent), item])));
    for (const key of keys) {
      const name = nameOf(key, consistent);
      request.items.set(
        name,
        byName.then((found) => found.get(name)),
      );
    }
    return items;
  }
  const taken = keys.map((key) => request.items.take<Item | undefined>(nameOf(key, consistent)));
  const [fromPrefetch, readItems] = await Promise.all([
    Promise.all(taken).catch((): Promise<(Item | undefined)[]> => read(keys.filter((_, index) => taken[index]))),
    read(keys.filter((_, index) => !taken[index])),
  ]);
  return [...fromPrefetch.filter((item) => item !== undefined), ...readItems];
}

/** Discards the prefetched results that contain these changed items, because later reads want the current state. */
export function forgetPrefetched(changed: readonly Key[]): void {
  const request = requests.get();
  request?.pages.clear();
  for (const key of changed) for (const consistent of [true, false]) request?.items.delete(nameOf(key, consistent));
}
