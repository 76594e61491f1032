import { expect, onTestFinished, test } from "vitest";
import { searchIndex } from "../../shared/messaging/messages/search/indexing.ts";
import { consumeLog } from "../../shared/services/jobs/log-consumer.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { findTopicRecord, listTopicRecords, raiseTopicMaxId } from "../../shared/store/channels/topics.ts";
import { cursors, findCursor } from "../../shared/store/log/cursors.ts";
import { logEnd } from "../support/log.ts";
import { sendToChannel } from "../support/messages.ts";
import { holdLog, releaseLog } from "../support/table/follower.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const listedTopics = async (person: Person, channel: Channel): Promise<[name: string, maxId: number][]> =>
  (await person.call("GET", `/users/me/${channel.id}/topics`)).body.topics.map(
    ({ name, max_id }: { name: string; max_id: number }) => [name, max_id],
  );

/** Waits until the worker has processed everything in the log. */
async function waitForSearchIndex() {
  const end = await logEnd();
  await eventually(async () => {
    await consumeLog(searchIndex);
    return ((await findCursor(cursors.search))?.sequence ?? 0) >= end;
  });
}

/** The expected topics, derived from the channel's messages. */
async function topicsOfMessages(person: Person, channel: Channel) {
  const narrow = [{ operator: "channel", operand: channel.id }];
  const { body } = await person.call("GET", "/messages", { anchor: "newest", num_before: 1000, num_after: 0, narrow });
  const topics = new Map<string, [string, number]>();
  for (const { subject, id } of body.messages) topics.set(subject.toLowerCase(), [subject, id]);
  return [...topics.values()].sort(([, a], [, b]) => b - a);
}

test("topics are listed with their newest messages before and after the worker has processed them", async () => {
  const viola = await aPerson("Viola");
  const coast = await aChannel("coast", [viola]);
  await waitForSearchIndex();
  const [, shells, storm] = [
    await sendToChannel(viola, coast, "storm"),
    await sendToChannel(viola, coast, "shells"),
    await sendToChannel(viola, coast, "Storm"),
  ];
  const topics = [
    ["Storm", storm],
    ["shells", shells],
  ];

  expect(await listedTopics(viola, coast)).toEqual(topics);
  await waitForSearchIndex();

  expect(await listedTopics(viola, coast)).toEqual(topics);
  expect((await listTopicRecords(coast.id)).map(({ name, maxId }) => [name, maxId]).sort()).toEqual(topics.sort());
});

test("a worker does not record a message that was deleted or moved after it read it", async () => {
  const olivia = await aPerson("Olivia");
  const house = await aChannel("house", [olivia]);
  await waitForSearchIndex();
  // Stops the fleet's own worker, which could create the record before the message is moved.
  await holdLog(cursors.search);
  onTestFinished(() => releaseLog(cursors.search));
  for (const [topic, removeFromTopic] of [
    ["deleted", (id: number) => olivia.call("DELETE", `/messages/${id}`)],
    ["moved", (id: number) => olivia.call("PATCH", `/messages/${id}`, { topic: "elsewhere" })],
  ] as const) {
    const id = await sendToChannel(olivia, house, topic);
    const before = await findTopicRecord(house.id, topic);

    await removeFromTopic(id);

    expect(await raiseTopicMaxId(before, { channelId: house.id, name: topic, maxId: id })).toBe(false);
  }
  expect((await listedTopics(olivia, house)).map(([name]) => name)).toEqual(["elsewhere"]);
});

test("topics stay correct while people send, delete and move concurrently with the worker", async () => {
  const people = await Promise.all(
    ["Orsino", "Curio", "Feste"].map((name) => aPerson(name, { role: "administrator" })),
  );
  const [orsino] = people as [Person, Person, Person];
  const court = await aChannel("court", people);
  let done = false;
  const worker = (async () => {
    while (!done) await consumeLog(searchIndex);
  })();

  await Promise.all(
    people.map(async (person, n) => {
      const sentIds: number[] = [];
      // Each person performs a different, but reproducible sequence of actions.
      for (let step = 0; step < 12; step++) {
        const topic = `topic ${(step * 7 + n) % 3}`;
        const messageId = sentIds[(step * 5) % Math.max(1, sentIds.length)];
        const action = (step * 3 + n) % 5;
        if (messageId === undefined || action < 2) sentIds.push(await sendToChannel(person, court, topic));
        else if (action === 2) await person.do("DELETE", `/messages/${sentIds.pop()}`);
        else await person.do("PATCH", `/messages/${messageId}`, { topic, propagate_mode: "change_one" });
      }
    }),
  );
  const topicsMeanwhile = await listedTopics(orsino, court);
  done = true;
  await worker;

  expect(topicsMeanwhile).toEqual(await topicsOfMessages(orsino, court));
  await waitForSearchIndex();
  expect(await listedTopics(orsino, court)).toEqual(await topicsOfMessages(orsino, court));
  const records = (await listTopicRecords(court.id)).sort((a, b) => b.maxId - a.maxId);
  expect(records.map(({ name, maxId }) => [name, maxId])).toEqual(await topicsOfMessages(orsino, court));
});
