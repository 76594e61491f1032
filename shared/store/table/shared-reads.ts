import { InvocationValue } from "../../base/invocation.ts";
import { nameOf } from "./keys.ts";
import type { Item, Key } from "./writes.ts";

/** What the reads of one invocation share. It has no calls of its own, because functions without a table do not load the SDK. */
interface SharedReads {
  /** The batches that reads by key join: one of strongly consistent reads, one of others (`batching.ts`). */
  batches: Map<boolean, Batch>;
  /** Reads by key, and pages of queries, that were started before they are needed. Each is used once, by its next reader. */
  items: Map<string, StartedRead>;
  pages: Map<string, StartedRead>;
  /** What is read once, by name. */
  once: Map<string, Promise<unknown>>;
  isPrefetching: boolean;
}

export interface Batch {
  keys: Map<string, Key>;
  found: Promise<ReadonlyMap<string, Item>>;
}

interface StartedRead {
  at: number;
  result: Promise<unknown>;
}

const scope = new InvocationValue<SharedReads | undefined>("shared reads");

/** Runs a request or a job whose reads are batched, and use what `prefetch` started. Other code makes a call for each read. */
export const withSharedReads = <T>(work: () => Promise<T>): Promise<T> =>
  scope.run({ batches: new Map(), items: new Map(), pages: new Map(), once: new Map(), isPrefetching: false }, work);

/** Runs work of many minutes, whose reads must be as new as if nothing had been read before. */
export const withoutSharedReads = <T>(work: () => Promise<T>): Promise<T> => scope.run(undefined, work);

export const isSharingReads = (): boolean => scope.get() !== undefined;

/** Makes a read at the first call with this name in the running invocation: for what need not be newer than that call. */
export function readOnce<T>(name: string, read: () => Promise<T>): Promise<T> {
  const once = scope.get()?.once;
  const earlier = once?.get(name) as Promise<T> | undefined;
  // If the earlier read failed, this caller makes its own.
  if (earlier) return earlier.catch(read);
  const result = read();
  once?.set(name, result);
  return result;
}

/** The batches of the running request; undefined outside of one. */
export const openBatches = (): Map<boolean, Batch> | undefined => scope.get()?.batches;

/**
 * Starts reads before the running request needs them, mostly in parallel with authentication, so that the same reads then add
 * no round trip. Their failure is ignored: the request then reads again.
 */
export function prefetch(reads: () => Promise<unknown>): void {
  const shared = scope.get();
  if (shared) scope.run({ ...shared, isPrefetching: true }, reads).catch(() => {});
}

/** A request that waits for long reads anew what was started earlier than this and not used. */
const maxAgeMs = 5000;

function startedOr<T>(kind: "items" | "pages", name: string, read: () => Promise<T>): Promise<T> {
  const shared = scope.get();
  if (!shared) return read();
  const reads = shared[kind];
  if (shared.isPrefetching) {
    const result = read();
    // A refused request never awaits the read, whose failure must not end the process.
    result.catch(() => {});
    reads.set(name, { at: Date.now(), result });
    return result;
  }
  const started = reads.get(name);
  // A second read wants the current state.
  reads.delete(name);
  return started && Date.now() - started.at < maxAgeMs ? (started.result as Promise<T>).catch(read) : read();
}

const itemName = (key: Key, consistent: boolean) => `${consistent}\n${nameOf(key)}`;

/** Returns the read of the item that was started in advance, or makes it. */
export const startedItemOr = <T>(key: Key, consistent: boolean, read: () => Promise<T>): Promise<T> =>
  startedOr("items", itemName(key, consistent), read);

/** Like `startedItemOr`, for a page of a query. `pageId` identifies the query and the page. */
export const startedPageOr = <T>(pageId: object, read: () => Promise<T>): Promise<T> =>
  startedOr("pages", JSON.stringify(pageId), read);

/** Discards all started reads: later ones want the state as of now. */
export function forgetAllStarted(): void {
  scope.get()?.pages.clear();
  scope.get()?.items.clear();
}

/** Discards the started reads of items that the request has written, and all pages: later reads want the current state. */
export function forgetStarted(written: readonly Key[]): void {
  const shared = scope.get();
  shared?.pages.clear();
  for (const key of written) for (const consistent of [true, false]) shared?.items.delete(itemName(key, consistent));
}
