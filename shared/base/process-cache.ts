import QuickLRU from "quick-lru";
import { currentHost } from "./host.ts";

interface CacheOptions {
  /** The LRU cache retains at least this many of the most recently used entries, and at most twice as many. */
  minRetained: number;
}

/**
 * A cache that outlives requests. Correctness must not depend on it, since a function may run in a process of its own or share
 * one with all others. The host holds the entries.
 */
export class ProcessCache<Key extends {}, Value extends {}> {
  readonly #minRetained: number;

  constructor({ minRetained }: CacheOptions) {
    this.#minRetained = minRetained;
  }

  get(key: Key): Value | undefined {
    return this.#entries().get(key);
  }

  /** Without `ttlMs`, the entry stays until it is deleted or evicted. */
  set(key: Key, value: Value, { ttlMs }: { ttlMs?: number } = {}): void {
    this.#entries().set(key, value, ttlMs === undefined ? {} : { maxAge: ttlMs });
  }

  delete(key: Key): void {
    this.#entries().delete(key);
  }

  /** Removes all entries, as in a new process. */
  clear(): void {
    currentHost().memory().delete(this);
  }

  /** The cached entry, or a new one from `make`. */
  getOrAdd(key: Key, make: () => Value): Value {
    const entries = this.#entries();
    const existing = entries.get(key);
    if (existing !== undefined) return existing;
    const value = make();
    entries.set(key, value);
    return value;
  }

  #entries(): QuickLRU<Key, Value> {
    const memory = currentHost().memory();
    const existing = memory.get(this) as QuickLRU<Key, Value> | undefined;
    if (existing) return existing;
    const entries = new QuickLRU<Key, Value>({ maxSize: this.#minRetained });
    memory.set(this, entries);
    return entries;
  }
}

/**
 * Read-through: returns the cached promise for a key, or caches a new one from `read`. Concurrent callers share it; a failure
 * is not cached.
 */
export function readThrough<Key extends {}, Value>(
  cache: ProcessCache<Key, Promise<Value>>,
  key: Key,
  read: () => Promise<Value>,
  options: { ttlMs?: number } = {},
): Promise<Value> {
  const cached = cache.get(key);
  if (cached) return cached;
  const value = read();
  cache.set(key, value, options);
  value.catch(() => {
    if (cache.get(key) === value) cache.delete(key);
  });
  return value;
}
