import { expect, test } from "vitest";
import { inTopic, say } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

test("fifty who send, react, edit and mark read at once lose nothing", { timeout: 90_000 }, async () => {
  const people = await Promise.all(Array.from({ length: 50 }, (_, n) => aPerson(`Player ${n}`)));
  const stage = await aChannel("stage", people.slice(0, 40));
  const [first] = people as [Person, ...Person[]];
  const own = await Promise.all(people.map((person, n) => say(person, stage, "all", `text ${n}`)));
  const middle = own[25] as number;

  const acts = await Promise.all(
    people.flatMap((person, n) => [
      person.call("POST", "/messages", { type: "channel", to: stage.id, topic: "all", content: `more ${n}` }),
      person.call("POST", `/messages/${middle}/reactions`, { emoji_name: ["heart", "tada", "smile"][n % 3] }),
      person.call("PATCH", `/messages/${own[n]}`, { content: `edited ${n}` }),
      person.call("POST", "/messages/flags", { messages: own, op: "add", flag: "read" }),
    ]),
  );

  expect(acts.filter(({ status }) => status !== 200).map(({ body }) => body.msg)).toEqual([]);
  const messages = await inTopic(first, stage, "all");
  const ids = messages.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  expect(messages.map(({ content }) => content).sort()).toEqual(
    people.flatMap((_, n) => [`edited ${n}`, `more ${n}`]).sort(),
  );
  expect(messages.find(({ id }) => id === middle).reactions).toHaveLength(50);
  expect(messages.filter(({ id, flags }) => own.includes(id) && !flags.includes("read"))).toEqual([]);
});
