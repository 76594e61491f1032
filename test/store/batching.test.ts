import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { lagging } from "../../shared/store/table/consistency.ts";
import { getItem, getItems } from "../../shared/store/table/reads.ts";
import { withSharedReads } from "../../shared/store/table/shared-reads.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { type Key, put } from "../../shared/store/table/writes.ts";
import { unique } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

/** Batching: reads by key that begin in the same turn of the event loop become one call for each consistency. */

/** The calls of `work`, each by its name, consistency and number of keys. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const stop = observeTableCalls(({ name, request }, proceed) => {
    const keys = name === "batchGet" ? request.keys.length : 1;
    const isConsistent = "consistent" in request && request.consistent;
    calls.push(`${name} ${isConsistent ? "consistent" : "lagging"} ${keys}`);
    return proceed();
  });
  try {
    await withSharedReads(work);
  } finally {
    stop();
  }
  return calls.toSorted();
}

describe.skipIf(!isLocal())("batched reads (in the table of the test's own process)", () => {
  const storeItems = async (count: number) => {
    const pk = unique("BATCH");
    const keys = Array.from({ length: count }, (_, index) => ({ pk, sk: String(index) }));
    for (let start = 0; start < count; start += 50)
      await transact(keys.slice(start, start + 50).map((key) => put({ ...key, value: Number(key.sk) })));
    return { keys, key: (index: number) => ({ pk, sk: String(index) }) };
  };

  test("of one turn of the event loop are one call for each consistency, and each reader gets its own items", async () => {
    const { key } = await storeItems(5);

    const calls = await callsOf(async () => {
      const items = await Promise.all([
        getItem(key(0)),
        getItem(key(9)),
        getItem(key(0)),
        getItems([key(2), key(9), key(1)]),
        getItem(key(3), lagging),
        getItem(key(4), lagging),
      ]);
      expect(items).toMatchObject([
        { value: 0 },
        undefined,
        { value: 0 },
        [{ value: 2 }, undefined, { value: 1 }],
        { value: 3 },
        { value: 4 },
      ]);
    });

    expect(calls).toEqual(["batchGet consistent 4", "batchGet lagging 2"]);
  });

  test("of different turns are different calls", async () => {
    const { key } = await storeItems(2);

    const calls = await callsOf(async () => {
      const first = getItem(key(0));
      await nextTurn();
      expect(await Promise.all([first, getItem(key(1))])).toMatchObject([{ value: 0 }, { value: 1 }]);
    });

    expect(calls).toEqual(["get consistent 1", "get consistent 1"]);
  });

  test("of more than 100 keys are several calls, and cost as much as single reads", async () => {
    const { keys, key } = await storeItems(150);
    const read = () => Promise.all([getItems(keys), getItem(key(150))]);

    const { result: calls, trace } = await withTrace(() =>
      callsOf(async () => {
        const [items, missing] = await read();
        expect(items.map((item) => item?.value)).toEqual(keys.map((_, index) => index));
        expect(missing).toBeUndefined();
      }),
    );

    expect(calls).toEqual(["batchGet consistent 100", "batchGet consistent 51"]);
    const { trace: unbatched } = await withTrace(read);
    expect(trace.readUnits).toBe(unbatched.readUnits);
  });

  test("a key that no item can have fails no other reader", async () => {
    const { key } = await storeItems(1);
    const invalid = [
      { ...key(0), sk: "" },
      { ...key(0), pk: "" },
      { ...key(0), sk: "x".repeat(1025) },
    ];

    const calls = await callsOf(async () => {
      const [items, item] = await Promise.all([getItems([...invalid, key(0)]), getItem(invalid[0] as Key)]);
      expect([...items, item]).toEqual([undefined, undefined, undefined, { ...key(0), value: 0 }, undefined]);
    });

    expect(calls).toEqual(["get consistent 1"]);
  });

  test("a failed call rejects all its readers, and later reads try again", async () => {
    const { key } = await storeItems(2);
    let failures = 1;
    onTestFinished(
      observeTableCalls(({ request }, proceed) => {
        if (JSON.stringify(request).includes(key(0).pk) && failures-- > 0) throw new Error("The table is busy");
        return proceed();
      }),
    );

    await withSharedReads(async () => {
      const read = () => Promise.allSettled([getItem(key(0)), getItem(key(1))]);
      expect((await read()).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect((await read()).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    });
  });
});
