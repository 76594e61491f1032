import { expect, test } from "vitest";
import { readMerged } from "../../../shared/messages/fetch/merge.ts";
import { listSource } from "../../../shared/messages/fetch/sources.ts";
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
      async (runs, bound, otherBound, limit, descending) => {
        const [from, to] = [Math.min(bound, otherBound), Math.max(bound, otherBound)];
        const inRange = [...new Set(runs.flat())].filter((id) => from <= id && id <= to).sort((a, b) => a - b);
        const expected = (descending ? inRange.reverse() : inRange).slice(0, limit);

        const merged = await readMerged(runs.map(listSource), { from, to, descending, limit });

        expect(merged.map(({ id }) => id)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
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
