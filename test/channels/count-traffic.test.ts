import { expect, test } from "vitest";
import { isRecentlyActive, weeklyTraffic } from "../../shared/core/channels/traffic.ts";
import { trafficCounts } from "../../shared/features/channels/count-traffic.ts";
import { consumeLog } from "../../shared/services/jobs/log-consumer.ts";
import { type ChannelWithStats, findChannelWithStats, updateChannel } from "../../shared/store/channels/channels.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

const daysAgo = (days: number) => Math.floor(Date.now() / 1000) - days * 86_400;

test("each message is counted once, even if counting repeats, and the average is shown for channels older than a week", async () => {
  const puck = await aPerson("Puck");
  const [wood, young] = [await aChannel("wood", [puck]), await aChannel("young", [puck])];
  await transact([updateChannel(wood.id, { set: { createdAt: daysAgo(30) } })]);
  const ids: number[] = [];
  for (const channel of [wood, wood, wood, young]) {
    const message = { type: "channel", to: channel.id, topic: "t", content: "x" };
    ids.push((await puck.call("POST", "/messages", message)).body.id);
  }

  await Promise.all([consumeLog(trafficCounts), consumeLog(trafficCounts)]);
  // The fleet's own worker may be counting: the message sent last is counted last.
  const youngRecord = await eventually(async () => {
    await consumeLog(trafficCounts);
    const { stream } = (await puck.call("GET", `/streams/${young.id}`)).body;
    return stream.first_message_id !== null && stream;
  });

  const { stream: woodRecord } = (await puck.call("GET", `/streams/${wood.id}`)).body;
  expect(woodRecord).toMatchObject({ stream_weekly_traffic: 3, is_recently_active: true, first_message_id: ids[0] });
  expect(youngRecord).toMatchObject({ stream_weekly_traffic: null, first_message_id: ids[3] });
  expect((await findChannelWithStats(wood.id))?.stats.lastMessageAt).toBeGreaterThan(daysAgo(1));
});

test("only the last seven days count, and a channel without messages in the last half year is inactive", () => {
  const today = Math.floor(Date.now() / 86_400_000);
  const channel = { createdAt: daysAgo(300), stats: { subscriberCount: 0 } } as unknown as ChannelWithStats;
  channel.stats[`day${today}`] = 1;
  channel.stats[`day${today - 6}`] = 10;
  channel.stats[`day${today - 7}`] = 100;

  expect(weeklyTraffic(channel)).toBe(11);
  expect(isRecentlyActive(channel)).toBe(false);
  expect(isRecentlyActive({ ...channel, stats: { ...channel.stats, lastMessageAt: daysAgo(179) } })).toBe(true);
});
