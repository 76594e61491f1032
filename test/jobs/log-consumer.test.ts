import { describe, expect, test } from "vitest";
import { consumeLog, type Subscriber } from "../../shared/jobs/log-consumer.ts";
import { findCursor } from "../../shared/store/log/cursors.ts";
import { commitSilently, readHead } from "../../shared/store/log/log.ts";
import { settledHead } from "../../shared/store/log/tail.ts";
import { token } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

describe.skipIf(!isLocal())("a subscriber of the log (in the test's own process)", () => {
  /** Processes one entry in each step, and begins after the log's present end. */
  const aSlowSubscriber = async (): Promise<Subscriber & { first: number }> => {
    const { event } = await readHead();
    for (let n = 0; n < 3; n++) await commitSilently();
    // No gap, such as a writer leaves that another file lets die, may hold up the first step.
    await settledHead();
    return {
      name: "slow",
      cursor: { pk: "CURSOR", sk: `SLOW#${token()}` },
      startsAt: "now",
      skipsExpired: true,
      step: async ([entry]) => ({ upTo: entry?.sequence as number }),
      first: event + 1,
    };
  };

  test("leaves later entries to their own invocations when its time ends after the new ones", async () => {
    const subscriber = await aSlowSubscriber();
    const { first, cursor } = subscriber;

    await consumeLog(subscriber, { from: first, upTo: first }, 0);

    expect(await findCursor(cursor)).toMatchObject({ sequence: first, leasedUntil: 0 });
  });

  test("fails when its time ends before the new entries do, and goes on from there", async () => {
    const subscriber = await aSlowSubscriber();
    const { first, cursor } = subscriber;
    const consume = (budgetMs?: number) => consumeLog(subscriber, { from: first, upTo: first + 2 }, budgetMs);

    await expect(consume(0)).rejects.toThrow(`slow has not reached ${first + 2} in time`);
    await consume();

    expect((await findCursor(cursor))?.sequence).toBeGreaterThanOrEqual(first + 2);
  });
});
