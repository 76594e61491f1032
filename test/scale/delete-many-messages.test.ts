import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { continueTopicDeletion } from "../../shared/features/channels/delete-topic.ts";
import { createTopicDeletion, findTopicDeletion } from "../../shared/store/channels/topic-deletions.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { fetchTopic, sendToChannel } from "../support/messages.ts";
import { fillTopic } from "../support/table/fill-topic.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

test("a topic of five thousand messages is deleted completely, in batches with one event each", {
  timeout: 400_000,
}, async () => {
  const [prospero, ariel] = [await aPerson("Prospero", { role: "administrator" }), await aPerson("Ariel")];
  const island = await aChannel("island", [prospero, ariel]);
  const sent = await fillTopic(prospero, island, "storm", 5000);
  const kept = await sendToChannel(ariel, island, "calm");
  const end = await logEnd();

  const [reply] = await Promise.all([
    prospero.call("POST", `/streams/${island.id}/delete_topic`, { topic_name: "storm" }),
    // Clients repeat the request while messages are left; a repetition must not disturb the job.
    prospero.call("POST", `/streams/${island.id}/delete_topic`, { topic_name: "storm" }),
  ]);

  expect(reply.status).toBe(200);
  if (reply.body.complete) expect(await fetchTopic(ariel, island, "storm")).toEqual([]);
  await eventually(async () => (await fetchTopic(ariel, island, "storm")).length === 0, 300);
  const { topics } = (await ariel.call("GET", `/users/me/${island.id}/topics`)).body;
  expect(topics).toEqual([{ name: "calm", max_id: kept }]);
  const events = await eventsAfter(end, "delete_message", ({ stream_id }) => stream_id === island.id);
  expect(events.flatMap(({ event }) => event.message_ids as number[]).sort((a, b) => a - b)).toEqual(sent);
  for (const { event } of events) expect((event.message_ids as number[]).length).toBeLessThanOrEqual(50);
});

test("a deletion that its request did not finish is finished once by concurrent jobs", {
  timeout: 60_000,
}, async () => {
  const prospero = await aPerson("Prospero", { role: "administrator" });
  const island = await aChannel("island", [prospero]);
  const sent = await fillTopic(prospero, island, "storm", 300);
  const laterId = await sendToChannel(prospero, island, "storm", "sent after the deletion began");
  const end = await logEnd();
  const [id, lastId] = [randomUUID(), sent.at(-1) as number];
  const deletion = { actorId: prospero.id, channelId: island.id, topic: "storm", lastId };
  // A user who can only read a part of the topic deletes that part.
  const periods: [number, number][] = [[sent[100] as number, sent[300 - 1] as number]];
  await transact([createTopicDeletion({ id, ...deletion, periods })]);

  await Promise.all([continueTopicDeletion(id), continueTopicDeletion(id), continueTopicDeletion(id)]);

  expect(await findTopicDeletion(id)).toBeUndefined();
  const remaining = [...sent.slice(0, 100), lastId, laterId];
  expect((await fetchTopic(prospero, island, "storm")).map((message) => message.id)).toEqual(remaining);
  const events = await eventsAfter(end, "delete_message", ({ stream_id }) => stream_id === island.id);
  const received = events.flatMap(({ event }) => event.message_ids as number[]).sort((a, b) => a - b);
  expect(received).toEqual(sent.slice(100, -1));
});
