import { expect, test } from "vitest";
import { sendToChannel } from "../../support/messages.ts";
import { inSeconds } from "../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

const send = (person: Person, to: number, content: string) =>
  person.call("POST", "/messages", { type: "channel", to, topic: "war", content });
/** Tries to mention with a scheduled message, first a new one and then by an edit of one; returns the errors' codes. */
async function codesOfScheduling(person: Person, to: number, content: string): Promise<string[]> {
  const scheduled = { type: "channel", to, topic: "war", scheduled_delivery_timestamp: inSeconds(3600) };
  const created = await person.call("POST", "/scheduled_messages", { ...scheduled, content });
  const { scheduled_message_id: id } = await person.do("POST", "/scheduled_messages", {
    ...scheduled,
    content: "plain",
  });
  const edited = await person.call("PATCH", `/scheduled_messages/${id}`, { content });
  return [created, edited].map(({ body }) => body.code);
}

test("anybody may mention a small channel, and only people with the permission a large one", async () => {
  const people = await Promise.all(Array.from({ length: 16 }, (_, n) => aPerson(`Soldier ${n}`)));
  const king = await aPerson("Henry", { role: "administrator" });
  const [camp, tent] = [await aChannel("camp", people), await aChannel("tent", people.slice(0, 3))];
  const [first] = people as [Person, ...Person[]];

  const refused = await send(first, camp.id, "@**all** rise");

  expect(refused).toMatchObject({
    status: 400,
    body: {
      code: "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
      msg: "You do not have permission to use channel wildcard mentions in this channel.",
    },
  });
  expect((await send(first, tent.id, "@**all** rise")).status).toBe(200);
  expect((await send(king, camp.id, "@**all** rise")).status).toBe(200);
  expect((await send(first, camp.id, "@**topic** rise")).status).toBe(200);
  const id = await sendToChannel(first, camp, "war", "plain");
  expect((await first.call("PATCH", `/messages/${id}`, { content: "@**everyone** rise" })).body.code).toBe(
    "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
  );
  expect(await codesOfScheduling(first, camp.id, "@**all** rise")).toEqual(
    Array(2).fill("STREAM_WILDCARD_MENTION_NOT_ALLOWED"),
  );
});

test("anybody may mention a topic's participants as long as they are few", async () => {
  const people = await Promise.all(Array.from({ length: 16 }, (_, n) => aPerson(`Soldier ${n}`)));
  const camp = await aChannel("camp", people);
  for (const person of people) await sendToChannel(person, camp, "war", "here");
  const [first] = people as [Person, ...Person[]];
  const id = await sendToChannel(first, camp, "war", "plain");

  const refused = { status: 400, body: { code: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED" } };
  expect(await send(first, camp.id, "@**topic** rise")).toMatchObject(refused);
  expect(await first.call("PATCH", `/messages/${id}`, { content: "@**topic** rise" })).toMatchObject(refused);
  expect(await codesOfScheduling(first, camp.id, "@**topic** rise")).toEqual(
    Array(2).fill("TOPIC_WILDCARD_MENTION_NOT_ALLOWED"),
  );
});
