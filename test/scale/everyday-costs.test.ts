import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import type { Reply } from "../support/http.ts";
import { inSeconds, untilNothingIsRecent } from "../support/waiting.ts";
import { aChannel, aPerson, costTests, type Person, partitionEndReadUnits } from "../support/world.ts";

/** Budgets in DynamoDB's request units, as the local host's engine counts them. */

const text = "The quality of mercy is not strained; it droppeth as the gentle rain from heaven upon the place beneath. "
  .repeat(3)
  .slice(0, 300);
let portia: Person;
let others: Person[];
let venice: Channel;

const withinBudget = (reply: Reply, budget: { reads: number; writes?: number; calls?: number }) => {
  expect(reply.status).toBe(200);
  expect(reply.cost.readUnits).toBeLessThanOrEqual(budget.reads);
  expect(reply.cost.writeUnits).toBeLessThanOrEqual(budget.writes ?? 0);
  if (budget.calls !== undefined) expect(reply.cost.tableCalls).toBeLessThanOrEqual(budget.calls);
};

costTests("costs", () => {
  beforeAll(async () => {
    portia = await aPerson("Portia");
    others = await Promise.all(["Nerissa", "Bassanio", "Gratiano"].map((name) => aPerson(name)));
    venice = await aChannel("venice", [portia, ...others]);
    for (let index = 0; index < 10; index++)
      await Promise.all(
        [portia, ...others, portia, ...others, portia, portia].map((person, position) =>
          person.do("POST", "/messages", {
            type: "channel",
            to: venice.id,
            topic: `case ${position % 2}`,
            content: text,
          }),
        ),
      );
    await untilNothingIsRecent();
  });

  test("authentication and an empty list cost at most one read unit each and no write", async () => {
    withinBudget(await portia.call("GET", "/scheduled_messages"), { reads: 2, calls: 2 });
  });

  test("scheduling a message stays within its budget", async () => {
    const scheduled = await portia.call("POST", "/scheduled_messages", {
      type: "channel",
      to: venice.id,
      topic: "t",
      content: text,
      scheduled_delivery_timestamp: inSeconds(3600),
    });

    withinBudget(scheduled, { reads: 5 + partitionEndReadUnits, writes: 6 });
  });

  test("sending a channel message stays within its budget", async () => {
    const send = (content: string) =>
      portia.call("POST", "/messages", { type: "channel", to: venice.id, topic: "case 0", content });

    withinBudget(await send(text), { reads: 4.5 + partitionEndReadUnits, writes: 12 });
  });

  test("a channel message costs the same with forty subscribers as with one", async () => {
    const crowd = await Promise.all(Array.from({ length: 39 }, (_, index) => aPerson(`Citizen ${index}`)));
    const [alone, crowded] = [await aChannel("alone", [portia]), await aChannel("crowded", [portia, ...crowd])];
    const send = (channel: Channel) =>
      portia.call("POST", "/messages", { type: "channel", to: channel.id, topic: "t", content: text });

    const [one, forty] = [await send(alone), await send(crowded)];

    expect(forty.cost.writeUnits).toBe(one.cost.writeUnits);
    // The first message reads recently written test data again, so the second may be cheaper, but not dearer. Near the end of
    // a log partition either may need one more call.
    expect(forty.cost.readUnits).toBeLessThanOrEqual(one.cost.readUnits + partitionEndReadUnits);
    expect(forty.cost.tableCalls).toBeLessThanOrEqual(one.cost.tableCalls + 1);
  });

  test("a direct message to n people writes 12 units and 2 for each of them", async () => {
    const send = () =>
      portia.call("POST", "/messages", { type: "direct", to: others.map(({ id }) => id), content: text });
    await send();

    withinBudget(await send(), { reads: 10, writes: 12 + 2 * others.length });
  });

  test("fetching a hundred messages of a channel or a topic stays within its budget", async () => {
    const fetch = (narrow: unknown) =>
      portia.call("GET", "/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow });
    const [channel, topic] = [
      { operator: "channel", operand: venice.id },
      { operator: "topic", operand: "case 1" },
    ];
    // This fetch caches the senders' names, so that the measured ones do not read them.
    await fetch([channel]);

    const channelPage = await fetch([channel]);
    const topicPage = await fetch([channel, topic]);

    expect(channelPage.body.messages).toHaveLength(100);
    withinBudget(channelPage, { reads: 15 });
    withinBudget(topicPage, { reads: 15 });
  });

  test("fetching a hundred messages of the combined feed of fifty channels stays within its budget", async () => {
    const antonio = await aPerson("Antonio");
    const channels = await Promise.all(Array.from({ length: 50 }, (_, index) => aChannel(`ship ${index}`, [antonio])));
    for (const round of [1, 2, 3])
      await Promise.all(
        channels.map((channel) =>
          antonio.do("POST", "/messages", { type: "channel", to: channel.id, topic: `${round}`, content: text }),
        ),
      );

    const feed = await antonio.call("GET", "/messages", { anchor: "newest", num_before: 100, num_after: 0 });

    expect(feed.body.messages).toHaveLength(100);
    withinBudget(feed, { reads: 90 });
  });
});
