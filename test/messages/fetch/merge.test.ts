import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { readMerged } from "../../../shared/messaging/messages/fetch/merge.ts";
import { listSource, type Source } from "../../../shared/messaging/messages/fetch/sources.ts";
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

test.each([
  ["ten are busy", (channel: number) => (channel < 10 ? 1 : 0.01)],
  ["each is less busy than the one before", (channel: number) => 1 / (channel + 1)],
  ["one is busy", (channel: number) => (channel === 0 ? 1 : 0.01)],
])("a page of fifty channels of which %s takes few stages, and reads few messages in vain", async (_, activityOf) => {
  const activities = Array.from({ length: 50 }, (_, channel) => activityOf(channel));
  // Each message is sent to the channel that is furthest behind its share.
  const runs: number[][] = activities.map(() => []);
  for (let id = 1; id <= 5000; id++) {
    const behind = activities.map((activity, channel) => activity / ((runs[channel]?.length ?? 0) + 1));
    runs[behind.indexOf(Math.max(...behind))]?.push(id);
  }
  let [endedStage, stages, messages] = [0, 0, 0];
  const counted =
    (source: Source): Source =>
    async (query) => {
      const stage = endedStage + 1;
      const entries = await source(query);
      await nextTurn();
      endedStage = Math.max(endedStage, stage);
      stages = Math.max(stages, stage);
      messages += entries.length;
      return entries;
    };

  await readMerged(
    runs.map((run) => counted(listSource(run))),
    { from: 1, to: 1e9, descending: true, limit: 100 },
  );

  expect(stages).toBeLessThanOrEqual(4);
  expect(messages).toBeLessThanOrEqual(350);
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
