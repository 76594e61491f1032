import { beforeAll, expect, test } from "vitest";
import { addChannel } from "../../shared/features/channels/create.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, costTest, type Person, partitionEndReadUnits } from "../support/world.ts";

let [imogen, cloten, pisanio, lateSubscriber]: Person[] = [];
let messageId: number;

const receiptsOf = async (person: Person, id = messageId) =>
  (await person.call("GET", `/messages/${id}/read_receipts`)).body;
const markAsRead = (person: Person, id = messageId) =>
  person.call("POST", "/messages/flags", { messages: [id], op: "add", flag: "read" });

beforeAll(async () => {
  [imogen, cloten, pisanio, lateSubscriber] = await Promise.all(
    ["Imogen", "Cloten", "Pisanio", "Lucius"].map((name) => aPerson(name)),
  );
  const cave = await aChannel("cave", [imogen, cloten, pisanio] as Person[]);
  const { body } = await (imogen as Person).call("POST", "/messages", {
    type: "channel",
    to: cave.id,
    topic: "t",
    content: "I see a man's life is a tedious one",
  });
  messageId = body.id;
  await (lateSubscriber as Person).do("POST", "/users/me/subscriptions", { subscriptions: [{ name: cave.name }] });
});

test("read receipts list the recipients who have read a message, without its sender", async () => {
  const [i, c, p, l] = [imogen, cloten, pisanio, lateSubscriber] as [Person, Person, Person, Person];
  expect((await receiptsOf(i)).user_ids).toEqual([]);

  await Promise.all([markAsRead(i), markAsRead(c), markAsRead(l)]);
  expect((await receiptsOf(i)).user_ids).toEqual([c.id]);
  expect((await receiptsOf(p)).user_ids).toEqual([c.id]);

  await c.do("POST", "/messages/flags", { messages: [messageId], op: "remove", flag: "read" });
  expect((await receiptsOf(p)).user_ids).toEqual([]);
});

test("read receipts omit users who turned them off and users muted in either direction", async () => {
  const [i, c, p] = [imogen, cloten, pisanio] as [Person, Person, Person];
  await Promise.all([markAsRead(c), markAsRead(p)]);
  expect((await receiptsOf(i)).user_ids).toEqual([c.id, p.id].sort((a, b) => a - b));

  await c.do("POST", `/users/me/muted_users/${i.id}`);
  expect((await receiptsOf(i)).user_ids).toEqual([p.id]);

  await p.do("PATCH", "/settings", { send_read_receipts: false });
  expect((await receiptsOf(i)).user_ids).toEqual([]);
});

test("read receipts of a message that the caller may not read are refused", async () => {
  const { body } = await (imogen as Person).call("POST", "/messages", {
    type: "direct",
    to: [(pisanio as Person).id],
    content: "Thou art all the comfort",
  });

  expect(await receiptsOf(cloten as Person, body.id)).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid message(s)" });
});

test("read receipts omit readers who are deactivated or have left, until they are back", async () => {
  const [adam, orlando, silvius] = await Promise.all(["Adam", "Orlando", "Silvius"].map((name) => aPerson(name)));
  const [a, o, s] = [adam, orlando, silvius] as [Person, Person, Person];
  const [owner, forest] = [await aPerson("Frederick", { role: "owner" }), await aChannel("arden", [a, o, s])];
  const [inForest, direct] = [await sendToChannel(a, forest, "t"), await sendDirect(a, [o, s])];
  for (const person of [o, s]) await Promise.all([markAsRead(person, inForest), markAsRead(person, direct)]);
  const bothReaders = [o.id, s.id].sort((x, y) => x - y);
  const readerIds = async () => [(await receiptsOf(a, inForest)).user_ids, (await receiptsOf(a, direct)).user_ids];
  expect(await readerIds()).toEqual([bothReaders, bothReaders]);

  await owner.do("DELETE", `/users/${o.id}`);
  await s.do("DELETE", "/users/me/subscriptions", { subscriptions: [forest.name] });
  expect(await readerIds()).toEqual([[], [s.id]]);

  await owner.do("POST", `/users/${o.id}/reactivate`);
  await s.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: forest.name }] });
  expect(await readerIds()).toEqual([bothReaders, bothReaders]);
});

costTest("read receipts cost half a unit for each subscriber and one for each reader", async () => {
  const [adam, orlando] = await Promise.all(["Adam", "Orlando"].map((name) => aPerson(name)));
  const [a, o] = [adam, orlando] as [Person, Person];
  // Subscribers whose IDs no user has.
  const crowd = Array.from({ length: 300 }, (_, index) => 1_600_000_000 + index);
  const forest = await addChannel({ name: `crowd of ${a.email}` }, null, [a.id, o.id, ...crowd]);
  const id = await sendToChannel(a, forest, "t");
  const before = await a.call("GET", `/messages/${id}/read_receipts`);
  await markAsRead(o, id);

  const after = await a.call("GET", `/messages/${id}/read_receipts`);

  expect(after.body.user_ids).toEqual([o.id]);
  expect(before.cost.readUnits).toBeLessThanOrEqual(302 / 2 + 11);
  // Up to one unit more while the read mark is recent.
  expect(after.cost.readUnits - before.cost.readUnits).toBeLessThanOrEqual(2 + partitionEndReadUnits);
});
