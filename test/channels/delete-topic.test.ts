import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { continueTopicDeletionJob } from "../../shared/features/channels/jobs.ts";
import { outboxJob } from "../../shared/services/jobs/outbox.ts";
import { createTopicDeletion, findTopicDeletion } from "../../shared/store/channels/topic-deletions.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { about, recordLog } from "../support/channel-log.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const send = async (person: Person, id: number, topic: string) =>
  (await person.call("POST", "/messages", { type: "channel", to: id, topic, content: "x" })).body.id as number;
const deleteTopic = (person: Person, id: number, topic_name: string) =>
  person.call("POST", `/streams/${id}/delete_topic`, { topic_name });
const topicsOf = async (person: Person, id: number): Promise<string[]> =>
  (await person.call("GET", `/users/me/${id}/topics`)).body.topics.map(({ name }: { name: string }) => name);

test("a topic is deleted with all of its messages in batches, each with an event, and other topics stay", async () => {
  const [admin, puck] = [await aPerson("Oberon", { role: "administrator" }), await aPerson("Puck")];
  const wood = await aChannel("wood", [puck]);
  const ids: number[] = [];
  // More than one batch.
  for (let index = 0; index < 60; index++) ids.push(await send(puck, wood.id, "Asses"));
  await send(puck, wood.id, "lovers");
  const log = await recordLog();

  const reply = await deleteTopic(admin, wood.id, "asses");

  expect(reply.body).toEqual({ result: "success", msg: "", complete: true });
  expect(await topicsOf(puck, wood.id)).toEqual(["lovers"]);
  // The channel may have another first message now.
  const events = about(
    wood.id,
    (await log.entries()).map(({ event }) => event),
  ).filter(({ type }) => type !== "stream");
  expect(events.map(({ type }) => type)).toEqual(["delete_message", "delete_message"]);
  expect(events.flatMap(({ message_ids }) => message_ids).sort((a, b) => a - b)).toEqual(ids);
  expect(events[0]).toMatchObject({ message_type: "stream", topic: "Asses" });
  expect((await deleteTopic(admin, wood.id, "asses")).body.complete).toBe(true);
});

test("deleting a topic needs the organization's or the channel's permission to delete any message", async () => {
  const [puck, bottom, outsider] = [await aPerson("Puck"), await aPerson("Bottom"), await aPerson("Snug")];
  const permissions = { can_delete_any_message_group: { direct_members: [bottom.id], direct_subgroups: [] } };
  const wood = await aChannel("wood", [puck, bottom], { permissions, inviteOnly: true });
  await send(puck, wood.id, "");

  expect((await deleteTopic(puck, wood.id, "")).body).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Insufficient permission",
  });
  expect((await deleteTopic(outsider, wood.id, "")).body.msg).toBe("Invalid channel ID");
  expect((await bottom.call("POST", `/streams/${wood.id}/delete_topic`)).body.var_name).toBe("topic_name");
  expect((await deleteTopic(bottom, wood.id, "general chat")).body.complete).toBe(true);
  expect(await topicsOf(puck, wood.id)).toEqual([]);
});

test("a background job deletes the messages that a request did not reach, and keeps those sent afterwards", async () => {
  const puck = await aPerson("Puck");
  const wood = await aChannel("wood", [puck]);
  const [first, second] = [await send(puck, wood.id, "asses"), await send(puck, wood.id, "asses")];
  const laterMessageId = await send(puck, wood.id, "asses");
  const id = randomUUID();
  const followUps = [outboxJob(continueTopicDeletionJob, { deletion_id: id })];
  const log = await recordLog();

  const deletion = { actorId: puck.id, channelId: wood.id, topic: "asses", lastId: second };
  await transact([createTopicDeletion({ id, ...deletion })], { followUps });

  await eventually(async () => (await findTopicDeletion(id)) === undefined);
  const { messages } = (
    await puck.call("GET", "/messages", {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: "channel", operand: wood.id }],
    })
  ).body;
  expect(messages.map((message: { id: number }) => message.id)).toEqual([laterMessageId]);
  const events = about(
    wood.id,
    (await log.entries()).map(({ event }) => event),
  );
  expect(events).toMatchObject([{ type: "delete_message", message_ids: [first, second] }]);
});
