import { expect, test } from "vitest";
import { readMerged } from "../../../shared/messages/fetch/merge.ts";
import { listSource, type Source } from "../../../shared/messages/fetch/sources.ts";
import { withCpuTime } from "../../support/cpu-time.ts";
import { fc } from "../../support/random.ts";

const sortedIds = fc
  .uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 60 })
  .map((ids) => ids.sort((a, b) => a - b));

test("merging runs gives the sorted union without duplicates", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sortedIds, { maxLength: 12 }),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 300 }),
      fc.nat({ max: 80 }),
      fc.boolean(),
      fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      async (runs, bound, otherBound, limit, descending, feedOf) => {
        const [from, to] = [Math.min(bound, otherBound), Math.max(bound, otherBound)];
        const inRange = [...new Set(runs.flat())].filter((id) => from <= id && id <= to).sort((a, b) => a - b);
        const expected = (descending ? inRange.reverse() : inRange).slice(0, limit);

        const merged = await readMerged(runs.map(listSource), { from, to, descending, limit }, feedOf);

        expect(merged.map(({ id }) => id)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("the page after a user's first one is read at once, also from a busy source, and a page of somebody else is not", async () => {
  const busy = listSource(Array.from({ length: 300 }, (_, index) => 1000 + index));
  const quiet = Array.from({ length: 9 }, (_, index) => listSource([index + 1, index + 101]));
  let reads: number[] = [];
  const counted: Source = (query) => {
    reads.push(query.limit);
    return busy(query);
  };
  const readPage = async (userId: number, limit = 100) => {
    reads = [];
    await readMerged([counted, ...quiet], { from: 1, to: 1e9, descending: true, limit }, userId);
    return reads;
  };

  expect(await readPage(101)).toEqual([20, 80]);
  expect(await readPage(101)).toEqual([100]);
  expect(await readPage(101, 10)).toEqual([10]);
  expect(await readPage(101)).toEqual([20, 80]);
  expect(await readPage(102)).toEqual([20, 80]);
});

test("merging five thousand messages from two hundred channels takes less than two seconds of processor time", async () => {
  const runs = Array.from({ length: 200 }, (_, channel) =>
    Array.from({ length: 100 }, (_, index) => index * 200 + channel + 1),
  );
  const query = { from: 1, to: 1e9, descending: true, limit: 5000 };

  const { result: merged, cpuMs } = await withCpuTime(() => readMerged(runs.map(listSource), query));

  expect(merged).toHaveLength(5000);
  expect(cpuMs).toBeLessThan(2000);
});
