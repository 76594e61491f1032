import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { trafficCounts } from "../../shared/features/channels/count-traffic.ts";
import { indexUpTo, searchIndex } from "../../shared/messaging/messages/search/indexing.ts";
import { consumeLog, type Subscriber } from "../../shared/services/jobs/log-consumer.ts";
import { type Channel, findChannelWithStats } from "../../shared/store/channels/channels.ts";
import { lookUp, readManifest } from "../../shared/store/messages/search-index.ts";
import { exactly } from "../../shared/store/messages/search-segments.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { sendToChannel } from "../support/messages.ts";
import { afterLease, holdLog, releaseLog } from "../support/table/follower.ts";
import { aHistory } from "../support/table/seeding.ts";
import { token } from "../support/unique.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/** More calls than these subscribers make. Other files cover the subscriber for notifications. */
const maxIndexCalls = 30;
const maxCalls = 14;

describe.skipIf(!isLocal())("a function that dies at any call (the test's own process runs the function)", () => {
  let puck: Person;
  let wood: Channel;

  beforeAll(async () => {
    puck = await aPerson("Puck");
    wood = await aChannel("wood", [puck]);
    const begun = await sendToChannel(puck, wood, "night", "to begin with");
    for (const { cursor } of [searchIndex, trafficCounts]) await holdLog(cursor);
    // Other files may have left histories that are not in the log; a run indexes only some of so many messages.
    await indexUpTo(begun);
  });
  afterAll(() => Promise.all([searchIndex, trafficCounts].map(({ cursor }) => releaseLog(cursor))));

  const consume = (subscriber: Subscriber, work = () => consumeLog(subscriber)) =>
    afterLease(async () => void (await work()), subscriber.cursor);

  test.each(deathsAt(maxIndexCalls))(
    "while indexing, at call %i, %s: the next run continues, and searches find the messages",
    async (step, when) => {
      await holdLog(searchIndex.cursor);
      const word = `w${step}${when}${token()}`.toLowerCase();
      // So many that they are indexed at once; each fourth time segments are merged.
      const { first, last } = await aHistory(40, {
        channel: wood,
        senderId: () => puck.id,
        text: () => `Thou ${word}`,
      });
      await sendToChannel(puck, wood, "night", "It shall be so");

      let reached = false;
      await consume(searchIndex, async () => {
        ({ reached } = await withFailure(step, when, () => consumeLog(searchIndex)));
      });
      await consume(searchIndex);

      const manifest = await readManifest();
      const range = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: 100 };
      const ids = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      expect((await lookUp(manifest, [exactly(word)], range)).map((posting) => posting.id)).toEqual(ids);
      expect(manifest.indexedTo).toBeGreaterThanOrEqual(last);
      expect(reached && step === maxIndexCalls).toBe(false);
    },
  );

  test.each(deathsAt(maxCalls))(
    "while counting, at call %i, %s: each message is counted exactly once",
    async (step, when) => {
      await holdLog(trafficCounts.cursor);
      await consume(trafficCounts);
      await holdLog(trafficCounts.cursor);
      const trafficCount = async () => {
        const { stats = {} } = (await findChannelWithStats(wood.id)) ?? {};
        return Object.entries(stats).reduce(
          (sum, [name, count]) => (/^day\d/.test(name) ? sum + Number(count) : sum),
          0,
        );
      };
      const before = await trafficCount();
      await sendToChannel(puck, wood, "night", "once");
      await sendToChannel(puck, wood, "night", "twice");

      let reached = false;
      await consume(trafficCounts, async () => {
        ({ reached } = await withFailure(step, when, () => consumeLog(trafficCounts)));
      });
      await consume(trafficCounts);

      expect((await trafficCount()) - before).toBe(2);
      expect(reached && step === maxCalls).toBe(false);
    },
  );
});
