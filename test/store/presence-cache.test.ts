import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { type Presence, putChange } from "../../shared/store/users/presence.ts";
import { PresenceCache } from "../../shared/store/users/presence-cache.ts";
import { withFailure } from "../support/faults.ts";
import { fc } from "../support/random.ts";
import { leaveSeparateTables, useSeparateTable } from "../support/table/separate-table.ts";
import { isLocal } from "../support/world.ts";

/** A client: the presences that it has received, and its last update ID. */
interface Client {
  view: Map<number, number>;
  lastUpdateId: number;
}

const people = [1, 2, 3, 4, 5];
const dayMs = 86_400_000;
let worldCount = 0;

/**
 * A separate range of time for one test, so that its update IDs differ from those of other tests, with a cache for each
 * simulated process and a client for each user.
 */
function aWorld(processes: number) {
  const clock = { now: ++worldCount * dayMs };
  const caches = Array.from({ length: processes }, () => new PresenceCache(() => clock.now));
  const clients = people.map((): Client => ({ view: new Map(), lastUpdateId: clock.now - 1 }));
  /** Advances the clock by `ms` and writes a change of a user's presence. */
  const changeAfter = (ms: number, userId: number) => {
    clock.now += ms;
    return putChange(presence(userId, clock.now));
  };
  return { clock, caches, clients, changeAfter };
}

const presence = (userId: number, updateId: number): Presence => ({ userId, lastConnected: updateId, updateId });

async function refresh(client: Client, cache: PresenceCache): Promise<Client["view"]> {
  for (const { userId, updateId } of await cache.since(client.lastUpdateId)) {
    client.view.set(userId, updateId);
    client.lastUpdateId = Math.max(client.lastUpdateId, updateId);
  }
  return client.view;
}

/** A call whose response is held back. */
interface Hold {
  answered: PromiseWithResolvers<void>;
  released: PromiseWithResolvers<void>;
}
const holds = new AsyncLocalStorage<Hold>();
let observing = false;

/** Starts `work`, and holds back the responses of its calls until `release` is called; waits for the first. */
async function startHeld<T>(work: () => Promise<T>): Promise<{ release: () => void; result: Promise<T> }> {
  if (!observing)
    observeTableCalls(async (_, proceed) => {
      const answer = await proceed();
      const hold = holds.getStore();
      hold?.answered.resolve();
      await hold?.released.promise;
      return answer;
    });
  observing = true;
  const hold = { answered: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
  const result = holds.run(hold, work);
  await hold.answered.promise;
  return { release: hold.released.resolve, result };
}

const anyUser = fc.nat(people.length - 1);
const anyProcess = fc.nat(1);

describe.skipIf(!isLocal())("presence as processes cache it (in a separate table)", () => {
  beforeAll(useSeparateTable);
  afterAll(leaveSeparateTables);

  test("every process returns everybody's last ping", async () => {
    const ping = fc.record({
      who: anyUser,
      processIndex: anyProcess,
      // Up to about the overlap of reads, the interval of deep reads, and so long that the process was idle.
      elapsedMs: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 12_000 }), fc.nat(200_000)),
      only: fc.constantFrom("writes", "reads", "both"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(ping, { minLength: 1, maxLength: 25 }), async (pings) => {
        const { clock, caches, clients } = aWorld(2);
        const model = new Map<number, number>();
        for (const { who, processIndex, elapsedMs, only } of pings) {
          clock.now += elapsedMs + 1;
          if (only !== "reads") {
            await putChange(presence(who, clock.now));
            model.set(who, clock.now);
          }
          if (only !== "writes") expect(await refresh(clients[who]!, caches[processIndex]!)).toEqual(model);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a change that becomes visible up to ten seconds late is still delivered", async () => {
    const step = fc.record({
      writer: anyUser,
      delayMs: fc.nat(9900),
      reader: anyUser,
      elapsedMs: fc.integer({ min: 1, max: 4000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const { clock, caches, clients } = aWorld(2);
        const model = new Map<number, number>();
        const written: { at: number; change: Presence }[] = [];
        const advance = async (ms: number) => {
          clock.now += ms;
          for (const write of written.filter(({ at }) => at <= clock.now)) {
            await putChange(write.change);
            written.splice(written.indexOf(write), 1);
          }
        };
        for (const { writer, delayMs, reader, elapsedMs } of steps) {
          await advance(elapsedMs);
          written.push({ at: clock.now + delayMs, change: presence(writer, clock.now) });
          model.set(writer, clock.now);
          // Each client always uses the same process.
          await refresh(clients[reader]!, caches[reader % 2]!);
        }
        await advance(10_000);
        for (const [who, client] of clients.entries()) expect(await refresh(client, caches[who % 2]!)).toEqual(model);
      }),
      { numRuns: 60 },
    );
  });

  test("concurrent requests share one read, and the next one reads only changes", async () => {
    const { clock, caches, changeAfter } = aWorld(1);
    const startedAt = clock.now;
    for (let userId = 0; userId < 300; userId++) await changeAfter(100, userId);
    clock.now += 1000;
    const [cache] = caches as [PresenceCache];

    const cold = await withTrace(() => Promise.all(Array.from({ length: 50 }, () => cache.since(startedAt))));
    clock.now += 1000;
    const warm = await withTrace(() => cache.since(startedAt));

    expect(cold.result.map((presences) => presences.length)).toEqual(Array(50).fill(300));
    // One read, and one more for all requests that arrived during it.
    expect(cold.trace.tableCalls).toBeLessThanOrEqual(2);
    expect(warm.result).toHaveLength(300);
    expect(warm.trace).toMatchObject({ tableCalls: 1, readUnits: 1 });
  });

  test("a request during a running read sees writes since that read began", async () => {
    const { clock, caches, changeAfter } = aWorld(1);
    const [cache] = caches as [PresenceCache];
    const startedAt = clock.now;
    await changeAfter(1, 1);
    clock.now += 300_000;
    const since = clock.now;
    clock.now += 100_000;
    const { release, result: first } = await startHeld(() => cache.since(clock.now));
    await changeAfter(1, 2);

    const concurrent = [cache.since(since), cache.since(startedAt), cache.since(since)];
    release();

    expect(await first).toEqual([]);
    expect((await Promise.all(concurrent)).map((presences) => presences.map(({ userId }) => userId).sort())).toEqual([
      [2],
      [1, 2],
      [2],
    ]);
  });

  test("a failed read does not fail the requests that wait for it", async () => {
    const { clock, caches, changeAfter } = aWorld(1);
    const startedAt = clock.now;
    await changeAfter(1, 7);
    const [cache] = caches as [PresenceCache];

    const failing = withFailure(1, "before", () => cache.since(startedAt));
    const waiting = await Promise.all([cache.since(startedAt), cache.since(startedAt)]);

    expect((await failing).reached).toBe(true);
    expect(waiting.map((presences) => presences.length)).toEqual([1, 1]);
  });

  test("after an idle period the state is read anew instead of all changes in between", async () => {
    const { clock, caches, changeAfter } = aWorld(1);
    const [cache] = caches as [PresenceCache];
    await changeAfter(1, 1);
    await cache.since(clock.now - 1);
    for (let minute = 0; minute < 8; minute++) await changeAfter(60_000, 2 + minute);

    const late = await withTrace(() => cache.since(clock.now - 1));
    const earlier = await withTrace(() => cache.since(clock.now - 200_000));

    expect(late.result).toHaveLength(1);
    expect(late.trace.tableCalls).toBe(1);
    expect(earlier.result).toHaveLength(4);
    expect(earlier.trace.tableCalls).toBeLessThanOrEqual(5);
  });
});
