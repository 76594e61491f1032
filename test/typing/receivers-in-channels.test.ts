import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, costTest, type Person } from "../support/world.ts";

/** Typing notifications in channels are addressed to the subscribers; each poll omits those that its user does not want. */

let hamlet: Person;
let ophelia: Person;
let elsinore: Channel;
beforeAll(async () => {
  [hamlet, ophelia] = await Promise.all([aPerson("Hamlet"), aPerson("Ophelia")]);
  elsinore = await aChannel("elsinore", [hamlet, ophelia]);
});

const options = {
  event_types: ["typing", "typing_edit_message"],
  fetch_event_types: [],
  client_capabilities: { notification_settings_null: true, stream_typing_notifications: true },
};
/** Each notification has its own topic, by which the tests recognize it. */
const startTyping = async (topic: string, channel = elsinore) =>
  expect(
    (await hamlet.call("POST", "/typing", { op: "start", type: "channel", stream_id: channel.id, topic })).body.msg,
  ).toBe("");
const setReceivesTyping = async (person: Person, receives: boolean) =>
  expect((await person.call("PATCH", "/settings", { receives_typing_notifications: receives })).status).toBe(200);
const topics = (events: any[]) => events.map(({ topic, recipient }) => topic ?? recipient.topic);

test("subscribers, the sender included, receive typing events while subscribed and while their setting allows it", async () => {
  const [claudius, gertrude] = await Promise.all([aPerson("Claudius"), aPerson("Gertrude")]);
  const [sender, unwilling, joining] = await Promise.all(
    [hamlet, claudius, gertrude].map((person) => listen(person, options)),
  );
  const castle = await aChannel("castle", [hamlet, claudius]);
  const subscription = { subscriptions: [{ name: castle.name }] };

  await startTyping("one", castle);
  await setReceivesTyping(claudius, false);
  await startTyping("two", castle);
  await gertrude.do("POST", "/users/me/subscriptions", subscription);
  await startTyping("three", castle);
  await setReceivesTyping(claudius, true);
  await startTyping("four", castle);
  await gertrude.do("DELETE", "/users/me/subscriptions", { subscriptions: [castle.name] });
  await startTyping("five", castle);

  expect(topics((await sender?.poll()) ?? [])).toEqual(["one", "two", "three", "four", "five"]);
  expect(topics((await unwilling?.poll()) ?? [])).toEqual(["one", "four", "five"]);
  expect(topics((await joining?.poll()) ?? [])).toEqual(["three", "four"]);
});

test("a change of the setting takes effect with the next poll, even if the process has cached the old value", async () => {
  const listener = await listen(ophelia, options);
  const topicsAfterTyping = async (topic: string) => {
    await startTyping(topic);
    return topics(await listener.poll());
  };

  expect(await topicsAfterTyping("on")).toEqual(["on"]);
  await setReceivesTyping(ophelia, false);
  expect(await topicsAfterTyping("off")).toEqual([]);
  expect(await topicsAfterTyping("still off")).toEqual([]);
  const newListener = await listen(ophelia, options);
  await startTyping("off for a new queue");
  expect(topics(await newListener.poll())).toEqual([]);
  await setReceivesTyping(ophelia, true);
  expect(await topicsAfterTyping("on again")).toEqual(["on again"]);
});

test("a change of the setting takes effect for a poll that is waiting", async () => {
  const laertes = await aPerson("Laertes");
  const hall = await aChannel("hall", [hamlet, laertes]);
  const listener = await listen(laertes, options);
  await startTyping("before", hall);
  expect(topics(await listener.poll())).toEqual(["before"]);
  const waiting = listener.poll({ dont_block: false });

  await setReceivesTyping(laertes, false);
  await startTyping("unwanted", hall);
  await setReceivesTyping(laertes, true);
  await startTyping("wanted", hall);

  expect(topics(await waiting)).toEqual(["wanted"]);
});

test("subscribers whose setting excludes typing notifications receive none about edits", async () => {
  const [polonius, horatio] = await Promise.all([aPerson("Polonius"), aPerson("Horatio")]);
  const arras = await aChannel("arras", [hamlet, polonius, horatio]);
  const id = await sendToChannel(hamlet, arras, "rat");
  await setReceivesTyping(polonius, false);
  const [unwilling, willing] = await Promise.all([polonius, horatio].map((person) => listen(person, options)));

  await hamlet.do("POST", `/messages/${id}/typing`, { op: "start" });

  expect(topics((await willing?.poll()) ?? [])).toEqual(["rat"]);
  expect(await unwilling?.poll()).toEqual([]);
});

test("a queue for all public channels receives no typing from channels to which its owner is not subscribed", async () => {
  const osric = await aPerson("Osric");
  const [allPublic, narrowed] = await Promise.all([
    listen(osric, { ...options, all_public_streams: true }),
    listen(osric, { ...options, narrow: [["channel", elsinore.name]] }),
  ]);

  await startTyping("secret");

  expect(await allPublic.poll()).toEqual([]);
  expect(await narrowed.poll()).toEqual([]);
});

costTest("the setting is read once per queue: later polls cost less than the first", async () => {
  const fortinbras = await aPerson("Fortinbras");
  const field = await aChannel("field", [hamlet, fortinbras]);
  const { queueId: queue_id, lastEventId } = await listen(fortinbras, options);
  let last_event_id = lastEventId;
  const costs: number[] = [];
  for (const topic of ["drums", "trumpets", "guns"]) {
    await startTyping(topic, field);
    const { body, cost } = await fortinbras.call("GET", "/events", { queue_id, last_event_id, dont_block: true });
    expect(topics(body.events)).toEqual([topic]);
    last_event_id = body.events.at(-1).id;
    costs.push(cost.readUnits);
  }

  // Near the end of a log partition, one of the later polls costs more.
  const [first = 0, ...later] = costs;
  expect(Math.min(...later)).toBeLessThan(first);
});
