import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { ProcessCache, readThrough } from "../../shared/base/process-cache.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a cache retains the most recently used entries, and at most twice as many as `minRetained`", () => {
  const cache = new ProcessCache<number, number>({ minRetained: 10 });
  cache.set(0, 0);

  for (let key = 1; key <= 1000; key++) {
    cache.set(key, key);
    expect(cache.get(0)).toBe(0);
  }

  expect([1000, 999, 998].map((key) => cache.get(key))).toEqual([1000, 999, 998]);
  const kept = Array.from({ length: 1001 }, (_, key) => key).filter((key) => cache.get(key) !== undefined);
  expect(kept.length).toBeLessThanOrEqual(20);
});

test("an entry expires after its time to live", async () => {
  const cache = new ProcessCache<string, number>({ minRetained: 2 });
  cache.set("short", 1, { ttlMs: 1 });
  cache.set("long", 2, { ttlMs: 60_000 });
  cache.set("lasting", 3);

  await pause(50);

  expect(["short", "long", "lasting"].map((key) => cache.get(key))).toEqual([undefined, 2, 3]);
});

test("entries are stored in the host's memory, and separate memories do not share them", () => {
  const cache = new ProcessCache<string, number>({ minRetained: 2 });
  // The host of the tests (test/support/test-process.ts) has a separate memory for each table.
  vi.stubEnv("TABLE_NAME", "first");
  cache.set("a", 1);

  vi.stubEnv("TABLE_NAME", "second");
  const beforeAdding = cache.get("a");
  const added = cache.getOrAdd("a", () => 2);
  vi.stubEnv("TABLE_NAME", "first");

  expect([beforeAdding, added, cache.getOrAdd("a", () => 3)]).toEqual([undefined, 2, 1]);
});

test("concurrent reads are coalesced, and a failed one is retried", async () => {
  const cache = new ProcessCache<string, Promise<number>>({ minRetained: 2 });
  const read = vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error("Throttled")).mockResolvedValueOnce(7);

  const failed = await Promise.allSettled([readThrough(cache, "a", read), readThrough(cache, "a", read)]);
  const later = await Promise.all([readThrough(cache, "a", read), readThrough(cache, "a", read)]);

  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(later).toEqual([7, 7]);
  expect(read).toHaveBeenCalledTimes(2);
});
