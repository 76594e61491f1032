import { describe, expect, test } from "vitest";
import { consumeLog, type Subscriber } from "../../shared/jobs/log-consumer.ts";
import { findCursor } from "../../shared/store/log/cursors.ts";
import { commit, readHead } from "../../shared/store/log/log.ts";
import { settledHead } from "../../shared/store/log/tail.ts";
import { token } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

describe.skipIf(!isLocal())("a subscriber of the log (in the test's own process)", () => {
  /** Processes one entry in each step, and begins after the log's present end. */
  const aSlowSubscriber = async (): Promise<Subscriber & { firstSequence: number }> => {
    const { event } = await readHead();
    for (let n = 0; n < 3; n++) await commit({});
    // A gap in the log, which a writer leaves that another test file kills, would delay the first step.
    await settledHead();
    return {
      name: "slow",
      cursor: { pk: "CURSOR", sk: `SLOW#${token()}` },
      startsAt: "now",
      skipsExpired: true,
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
    const { firstSequence, cursor } = subscriber;
    const consume = (budgetMs?: number) =>
      consumeLog(subscriber, { from: firstSequence, upTo: firstSequence + 2 }, budgetMs);

    await expect(consume(0)).rejects.toThrow(`slow has not reached ${firstSequence + 2} in time`);
    await consume();

    expect((await findCursor(cursor))?.sequence).toBeGreaterThanOrEqual(firstSequence + 2);
  });
});
