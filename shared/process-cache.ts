import QuickLRU from "quick-lru";
import { currentHost } from "./host.ts";

interface Limits {
  /** Entries that are kept for certain if they were used last; at times there are up to twice as many. */
  max: number;
}

/**
 * What a process keeps from one request for the next ones. A function may have a process to itself or share one with the
 * whole fleet, so nothing may rest on an entry being there. The host holds the entries.
 */
export class ProcessCache<Key extends {}, Value extends {}> {
  readonly #max: number;

  constructor({ max }: Limits) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    return this.#entries().get(key);
  }

  /** Without `ttlMs`, until it is deleted or others need the room. */
  set(key: Key, value: Value, { ttlMs }: { ttlMs?: number } = {}): void {
    this.#entries().set(key, value, ttlMs === undefined ? {} : { maxAge: ttlMs });
  }

  delete(key: Key): void {
    this.#entries().delete(key);
  }

  /** Forgets all entries, as a process that begins. */
  clear(): void {
    currentHost().memory().delete(this);
  }

  /** The entry, which `make` makes if it is not there. */
  getOrAdd(key: Key, make: () => Value): Value {
    const entries = this.#entries();
    const known = entries.get(key);
    if (known !== undefined) return known;
    const value = make();
    entries.set(key, value);
    return value;
  }

  #entries(): QuickLRU<Key, Value> {
    const memory = currentHost().memory();
    const known = memory.get(this) as QuickLRU<Key, Value> | undefined;
    if (known) return known;
    const entries = new QuickLRU<Key, Value>({ maxSize: this.#max });
    memory.set(this, entries);
    return entries;
  }
}

/** The promise that is kept for a key, or else the one that `read` returns now, which is kept unless it fails. */
export function readOnce<Key extends {}, Value>(
  cache: ProcessCache<Key, Promise<Value>>,
  key: Key,
  read: () => Promise<Value>,
  options: { ttlMs?: number } = {},
): Promise<Value> {
  const known = cache.get(key);
  if (known) return known;
  const value = read();
  cache.set(key, value, options);
  value.catch(() => {
    if (cache.get(key) === value) cache.delete(key);
  });
  return value;
}
