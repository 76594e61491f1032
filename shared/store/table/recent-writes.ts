import { InvocationValue } from "../../base/invocation.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import { recentSeconds } from "./commit-window.ts";
import { nameOf } from "./keys.ts";
import { withoutSharedReads, withSharedReads } from "./shared-reads.ts";
import type { Key } from "./writes.ts";
import type { IndexName, WrittenItem } from "./written-items.ts";

/**
 * Tracks which items were written recently. Each log entry names the items that its change wrote, so a process that has read
 * the log's last seconds knows which items an eventually consistent read may return stale, and reads only those again
 * (docs/data-model.md, "How current each read is").
 */

/** An item that was written recently. */
interface RecentItem {
  key: Key;
  /** Its sort key in the partition, of the table or of an index. */
  sk: string;
  created: boolean;
  /** The sequence number of its last known change. */
  sequence: number;
  /** UNIX milliseconds until which it counts as recent. */
  until: number;
}

/** The recently written items, by partition. */
class RecentWrites {
  /** Partition, of the table or of an index -> item. */
  readonly #partitions = new Map<string, Map<string, RecentItem>>();
  /** UNIX milliseconds of the last removal of items that are no longer recent. */
  #prunedAt = 0;

  /** Adds the items that the change with this sequence number wrote at `at` (UNIX seconds). */
  add(items: readonly WrittenItem[], sequence: number, at: number): void {
    const until = (at + recentSeconds) * 1000;
    if (until <= Date.now()) return;
    for (const { pk, sk, created = false, indexes = {} } of items) {
      const recent = { key: { pk, sk }, created, sequence, until };
      this.#put(partitionName(undefined, pk), { ...recent, sk });
      for (const [index, key] of Object.entries(indexes))
        this.#put(partitionName(index as IndexName, key.pk), { ...recent, sk: key.sk });
    }
    this.#prune();
  }

  /** Whether an eventually consistent read of an item may be stale. `found`: whether it found the item. */
  mayBeStale(key: Key, found: boolean): boolean {
    const recent = this.#partitions.get(partitionName(undefined, key.pk))?.get(nameOf(key));
    return recent !== undefined && recent.until > Date.now() && !(found && recent.created);
  }

  /** The recently written items of a partition, with their sort keys there. */
  inPartition(index: IndexName | undefined, pk: string): Pick<RecentItem, "key" | "sk">[] {
    const now = Date.now();
    const items = this.#partitions.get(partitionName(index, pk));
    return items ? [...items.values()].filter(({ until }) => until > now) : [];
  }

  #put(partition: string, recent: RecentItem): void {
    const items = this.#partitions.get(partition) ?? new Map<string, RecentItem>();
    this.#partitions.set(partition, items);
    const name = nameOf(recent.key);
    const previous = items.get(name);
    if (previous?.sequence === recent.sequence) return;
    const newest = previous && previous.sequence > recent.sequence ? previous : recent;
    const until = Math.max(recent.until, previous?.until ?? 0);
    items.set(name, { ...newest, until, created: recent.created && !previous });
  }

  /** Frees memory: what is no longer recent is not found anyway. */
  #prune(): void {
    const now = Date.now();
    if (now - this.#prunedAt < recentSeconds * 1000) return;
    this.#prunedAt = now;
    for (const [partition, items] of this.#partitions) {
      for (const [name, { until }] of items) if (until <= now) items.delete(name);
      if (items.size === 0) this.#partitions.delete(partition);
    }
  }
}

const partitionName = (index: IndexName | undefined, pk: string) => `${index ?? ""}\n${pk}`;

/** The recent writes that a process has learned from the log. */
export class RecentWritesCache {
  readonly writes = new RecentWrites();
  /** The sequence number up to which the log has been read, and when (UNIX milliseconds). */
  sequence = 0;
  readAt = 0;
  /** Later sequence numbers, beyond a gap, whose entries are in `writes` already. */
  readonly sequencesAfterGap = new Set<number>();
}

const caches = new ProcessCache<"cache", RecentWritesCache>({ minRetained: 1 });
const processCache = (): RecentWritesCache => caches.getOrAdd("cache", () => new RecentWritesCache());

/** A request reads the log's end again when its last read of it is older than this. */
const maxLoadAgeMs = 1000;

interface RequestState {
  cache: RecentWritesCache;
  lastLoad?: { at: number; done: Promise<void> };
}
const requests = new InvocationValue<RequestState | undefined>("recent writes");

/** Runs a request or a job whose reads share one read of the log's end, and whatever `withSharedReads` says. */
export const withRequestScope = <T>(work: () => Promise<T>): Promise<T> =>
  requests.run({ cache: processCache() }, () => withSharedReads(work));

/** Runs a part of a job as if it were a process of its own: nothing that it reads is shared. */
export const outsideOfRequest = <T>(work: () => Promise<T>): Promise<T> =>
  requests.run(undefined, () => withoutSharedReads(work));

/** The cache of the running request or, outside of requests, of the process. */
export const currentRecentWrites = () => requests.get()?.cache ?? processCache();

/** The recent writes known to this request. */
export const recentWrites = (): RecentWrites => currentRecentWrites().writes;

/** Adds this process's own writes without waiting to read them from the log. */
export function recordOwnWrites(items: readonly WrittenItem[], sequence: number, at: number): void {
  for (const cache of new Set([currentRecentWrites(), processCache()])) cache.writes.add(items, sequence, at);
}

/** Skips the request's next read of the log's end if `isComplete` finds that the cache has every write already. */
export function skipIfLoaded(isComplete: (cache: RecentWritesCache) => boolean): void {
  const request = requests.get();
  if (request && isComplete(request.cache)) request.lastLoad = { at: Date.now(), done: Promise.resolve() };
}

/** Runs `load` once for all reads of a request. */
export function oncePerRequest(load: (cache: RecentWritesCache) => Promise<void>): Promise<void> {
  const request = requests.get();
  if (!request) return load(processCache());
  if (request.lastLoad && Date.now() - request.lastLoad.at < maxLoadAgeMs) return request.lastLoad.done;
  const currentLoad = { at: Date.now(), done: load(request.cache) };
  request.lastLoad = currentLoad;
  // A failed attempt must not fail the request's later reads: they try again.
  currentLoad.done.catch(() => {
    if (request.lastLoad === currentLoad) delete request.lastLoad;
  });
  return currentLoad.done;
}
