import { beforeAll, expect, test } from "vitest";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let [imogen, cloten, pisanio, late]: Person[] = [];
let message: number;

const receipts = async (person: Person, id = message) =>
  (await person.call("GET", `/messages/${id}/read_receipts`)).body;
const read = (person: Person, id = message) =>
  person.call("POST", "/messages/flags", { messages: [id], op: "add", flag: "read" });

beforeAll(async () => {
  [imogen, cloten, pisanio, late] = await Promise.all(
    ["Imogen", "Cloten", "Pisanio", "Late"].map((name) => aPerson(name)),
  );
  const cave = await aChannel("cave", [imogen, cloten, pisanio] as Person[]);
  const { body } = await (imogen as Person).call("POST", "/messages", {
    type: "channel",
    to: cave.id,
    topic: "t",
    content: "I see a man's life is a tedious one",
  });
  message = body.id;
  await (late as Person).call("POST", "/users/me/subscriptions", { subscriptions: [{ name: cave.name }] });
});

test("tells who has read a message they received, its sender aside", async () => {
  const [i, c, p, l] = [imogen, cloten, pisanio, late] as [Person, Person, Person, Person];
  expect((await receipts(i)).user_ids).toEqual([]);

  await Promise.all([read(i), read(c), read(l)]);
  expect((await receipts(i)).user_ids).toEqual([c.id]);
  expect((await receipts(p)).user_ids).toEqual([c.id]);

  await c.call("POST", "/messages/flags", { messages: [message], op: "remove", flag: "read" });
  expect((await receipts(p)).user_ids).toEqual([]);
});

test("leaves out who does not tell, and who is muted either way", async () => {
  const [i, c, p] = [imogen, cloten, pisanio] as [Person, Person, Person];
  await Promise.all([read(c), read(p)]);
  expect((await receipts(i)).user_ids).toEqual([c.id, p.id].sort((a, b) => a - b));

  await c.call("POST", `/users/me/muted_users/${i.id}`);
  expect((await receipts(i)).user_ids).toEqual([p.id]);

  await p.call("PATCH", "/settings", { send_read_receipts: false });
  expect((await receipts(i)).user_ids).toEqual([]);
});

test("a message out of reach", async () => {
  const { body } = await (imogen as Person).call("POST", "/messages", {
    type: "direct",
    to: [(pisanio as Person).id],
    content: "Thou art all the comfort",
  });

  expect(await receipts(cloten as Person, body.id)).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid message(s)" });
});
