import { describe, expect, onTestFinished, test } from "vitest";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { batchWrite } from "../../shared/store/table/bulk.ts";
import { corrected } from "../../shared/store/table/consistency.ts";
import { getItem, getItems, queryItems } from "../../shared/store/table/reads.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { prefetch } from "../../shared/store/table/shared-reads.ts";
import { deleteIf, deleteItem, updateIf, updateItem } from "../../shared/store/table/single-writes.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { put, update } from "../../shared/store/table/writes.ts";
import { unique } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

/** Prefetching: the next read of the same items returns what was prefetched, once, and not after a change of them. */

/** The keys and partitions that this process reads from now on, without those of the log. */
function watchReads(): string[] {
  const reads: string[] = [];
  onTestFinished(
    observeTableCalls(({ name: call, request }, proceed) => {
      const keys = call === "get" ? [request.key] : call === "batchGet" ? request.keys : [];
      const names = keys.map(({ pk, sk }) => `${pk} ${sk}`);
      if (call === "query") names.push(request.pk);
      reads.push(...names.filter((name) => !name.startsWith("LOG")));
      return proceed();
    }),
  );
  return reads;
}

const inRequest = <T>(work: () => Promise<T>) => withRequestScope(work);

describe.skipIf(!isLocal())("prefetched reads (in the table of the test's own process)", () => {
  const stored = async () => {
    const pk = unique("PREFETCH");
    await transact(["1", "2", "3"].map((sk) => put({ pk, sk, value: 1 })));
    return { pk, key: (sk: string) => ({ pk, sk }) };
  };

  test("are made once, whether the items are then read singly, in batches or by query", async () => {
    const { pk, key } = await stored();
    const reads = watchReads();

    await inRequest(async () => {
      prefetch(() =>
        Promise.all([
          getItem(key("1"), corrected),
          getItems([key("2"), key("3"), key("4")]),
          queryItems({ pk, from: "2", ...corrected }),
        ]),
      );
      expect(await getItems([key("1"), key("2")], corrected)).toMatchObject([{ value: 1 }, { value: 1 }]);
      expect(await getItem(key("3"))).toMatchObject({ value: 1 });
      expect(await getItem(key("4"))).toBeUndefined();
      expect(await queryItems({ pk, from: "2", ...corrected })).toHaveLength(2);
    });

    // An eventually consistent read does not use what was prefetched strongly consistent, nor the reverse.
    expect(reads.toSorted()).toEqual([pk, `${pk} 1`, `${pk} 2`, `${pk} 2`, `${pk} 3`, `${pk} 4`]);
  });

  test("are used once, so that a second read sees what has changed", async () => {
    const { key } = await stored();

    await inRequest(async () => {
      prefetch(() => getItem(key("1")));
      expect(await getItem(key("1"))).toMatchObject({ value: 1 });
      await transact([update(key("1"), { set: { value: 2 } })]);
      expect(await getItem(key("1"))).toMatchObject({ value: 2 });
    });
  });

  test("are forgotten when the request changes them", async () => {
    const { pk, key } = await stored();

    await inRequest(async () => {
      prefetch(() => Promise.all([getItem(key("1")), queryItems({ pk })]));
      await transact([update(key("1"), { set: { value: 2 } })]);
      expect(await getItem(key("1"))).toMatchObject({ value: 2 });
      expect(await queryItems({ pk })).toMatchObject([{ value: 2 }, { value: 1 }, { value: 1 }]);
    });
  });

  test("belong to one request, and their failure is not the request's", async () => {
    const { key } = await stored();
    const reads = watchReads();

    await inRequest(async () => {
      prefetch(() => getItem(key("1")));
      prefetch(() => Promise.reject(new Error("No such thing")));
      await inRequest(() => getItem(key("1")));
    });

    expect(reads).toHaveLength(2);
  });

  test("are forgotten when the request changes them outside a transaction", async () => {
    const { pk, key } = await stored();
    const writes: [name: string, write: () => Promise<unknown>, valueAfter: number | undefined][] = [
      ["updateItem", () => updateItem(key("1"), { set: { value: 2 } }), 2],
      ["updateIf", () => updateIf(key("1"), { set: { value: 3 } }, { exists: true }), 3],
      ["batchWrite", () => batchWrite([{ ...key("1"), value: 4 }]), 4],
      ["deleteIf", () => deleteIf(key("1"), { exists: true }), undefined],
      ["batchWrite", () => batchWrite([{ ...key("1"), value: 5 }]), 5],
      ["deleteItem", () => deleteItem(key("1")), undefined],
    ];
    for (const [name, write, valueAfter] of writes)
      await inRequest(async () => {
        prefetch(() => Promise.all([getItem(key("1")), queryItems({ pk })]));
        await write();
        const item = await getItem<{ value: number }>(key("1"));
        expect([name, item?.value]).toEqual([name, valueAfter]);
        expect(await queryItems({ pk })).toHaveLength(valueAfter === undefined ? 2 : 3);
      });
  });

  test("are read again when they failed", async () => {
    const { pk, key } = await stored();
    // The reads by key are one call, the query another.
    let failures = 2;
    onTestFinished(
      observeTableCalls(({ request }, proceed) => {
        if (JSON.stringify(request).includes(pk) && failures-- > 0) throw new Error("The table is busy");
        return proceed();
      }),
    );

    await inRequest(async () => {
      prefetch(() => getItem(key("1")));
      prefetch(() => getItems([key("2"), key("3")]));
      prefetch(() => queryItems({ pk }));
      expect(await getItem(key("1"))).toMatchObject({ value: 1 });
      expect(await getItems([key("2"), key("3")])).toMatchObject([{ value: 1 }, { value: 1 }]);
      expect(await queryItems({ pk })).toHaveLength(3);
    });

    expect(failures).toBeLessThan(0);
  });
});
