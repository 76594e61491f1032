import { expect, test } from "vitest";
import { maxPostedDirectly } from "../../../shared/features/events/notify-waiters.ts";
import { type Connection, connectQueue } from "../../support/connection.ts";
import { sendToChannel } from "../../support/messages.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** More connections than one invocation posts to: jobs post to the others. */

/** A person may have 50 queues. */
const connectionsPerPerson = 45;
const people = 3;
const messageCount = 20;

const connect = async (person: Person): Promise<Connection> => {
  const options = { event_types: ["message"], fetch_event_types: [] };
  return connectQueue(person, await person.do("POST", "/register", options));
};

test("each of many connections receives each message once and in order", { timeout: 240_000 }, async () => {
  expect(people * connectionsPerPerson).toBeGreaterThan(maxPostedDirectly);
  const readers = await Promise.all(Array.from({ length: people }, (_, index) => aPerson(`Reader ${index}`)));
  const writer = await aPerson("Writer");
  const channel = await aChannel("crowd", [writer, ...readers]);
  const connections: Connection[] = [];
  for (let index = 0; index < connectionsPerPerson; index++)
    connections.push(...(await Promise.all(readers.map(connect))));
  const texts = Array.from({ length: messageCount }, (_, index) => `message ${index}`);

  for (const text of texts) await sendToChannel(writer, channel, "news", text);

  await expect
    .poll(() => connections.filter(({ events }) => events.length < messageCount).length, { timeout: 60_000 })
    .toBe(0);
  for (const { events } of connections) expect(events.map(({ message }) => message.content)).toEqual(texts);
  for (const connection of connections) connection.close();
});
