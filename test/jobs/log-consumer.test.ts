import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import type { LogEvent } from "../../shared/base/schema/event-types.ts";
import { consumeLog, consumeLogFor, type Subscriber } from "../../shared/services/jobs/log-consumer.ts";
import { findCursor } from "../../shared/store/log/cursors.ts";
import { commit, readHead } from "../../shared/store/log/log.ts";
import { settledHead } from "../../shared/store/log/settled-head.ts";
import { put, type Write } from "../../shared/store/table/writes.ts";
import { forgetCaches } from "../support/test-process.ts";
import { token } from "../support/unique.ts";
import { costTest, isLocal } from "../support/world.ts";

describe.skipIf(!isLocal())("a subscriber of the log (in the test's own process)", () => {
  /** Processes one entry in each step, and begins after the log's present end. */
  const aSlowSubscriber = async (): Promise<Subscriber & { firstSequence: number }> => {
    const { event } = await readHead();
    for (let n = 0; n < 3; n++) await commit({});
    // A gap in the log, which a writer leaves that another test file kills, would delay the first step.
    await settledHead();
    return {
      name: `slow ${token()}`,
      cursor: { pk: "CURSOR", sk: `SLOW#${token()}` },
      startsAt: "now",
      skipsExpired: true,
      events: ["message"],
      step: async ([entry]) => ({ upTo: entry?.sequence as number }),
      firstSequence: event + 1,
    };
  };

  test("stops without an error when its time is over and it has processed the entries of its invocation", async () => {
    const subscriber = await aSlowSubscriber();
    const { firstSequence, cursor } = subscriber;

    await consumeLog(subscriber, { from: firstSequence, upTo: firstSequence }, 0);

    expect(await findCursor(cursor)).toMatchObject({ sequence: firstSequence, leasedUntil: 0 });
  });

  test("fails when its time is over before it has processed the entries of its invocation; a retry continues", async () => {
    const subscriber = await aSlowSubscriber();
    const { name, firstSequence, cursor } = subscriber;
    const consume = (budgetMs?: number) =>
      consumeLog(subscriber, { from: firstSequence, upTo: firstSequence + 2 }, budgetMs);

    await expect(consume(0)).rejects.toThrow(`${name} has not reached ${firstSequence + 2} in time`);
    await consume();

    expect((await findCursor(cursor))?.sequence).toBeGreaterThanOrEqual(firstSequence + 2);
  });

  test("leaves entries that do not concern it for later, if it is not far behind", async () => {
    const subscriber = await aSlowSubscriber();
    const { firstSequence, cursor } = subscriber;
    const consume = (sequence: number, type: "message" | "typing") =>
      consumeLogFor([subscriber], [{ sequence, event: { type } as LogEvent }]);
    const positionAfter = async (work: Promise<void>) => {
      await work;
      return (await findCursor(cursor))?.sequence ?? 0;
    };

    // A new process does not know how far behind the subscriber is.
    const first = await positionAfter(consume(firstSequence, "typing"));
    await commit({});
    await settledHead();
    const left = await positionAfter(consume(first + 1, "typing"));
    const concerned = await positionAfter(consume(first + 1, "message"));

    expect(first).toBeGreaterThanOrEqual(firstSequence);
    expect(left).toBe(first);
    expect(concerned).toBeGreaterThan(first);
  });

  costTest("catching up costs the units that docs/data-model.md says", async () => {
    const { step: _, ...subscriber } = await aSlowSubscriber();
    const { cursor, firstSequence } = subscriber;
    const catchUp = async (writes: readonly Write[]) => {
      await commit({});
      await settledHead();
      forgetCaches();
      return (await withTrace(() => consumeLog({ ...subscriber, step: async () => ({ writes }) }))).trace;
    };
    // Creates the cursor.
    await consumeLog({ ...subscriber, step: async () => ({}) }, { from: firstSequence });

    const alone = await catchUp([]);
    const withWrite = await catchUp([put({ ...cursor, sk: `COUNT#${token()}` })]);

    const unitsOfWrite = 2;
    // One of them may have read beyond the end of the log's partition.
    const readUnits = Math.min(alone.readUnits, withWrite.readUnits);
    expect(readFileSync("docs/data-model.md", "utf8").replaceAll("\n", " ")).toContain(
      [
        `Catching up costs a subscriber ${alone.writeUnits} write units,`,
        `or ${withWrite.writeUnits - unitsOfWrite} with writes in the cursor's transaction,`,
        `and where the log is read ${readUnits} read units for up to 4 KB of entries`,
      ].join(" "),
    );
  });
});
