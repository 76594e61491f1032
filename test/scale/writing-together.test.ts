import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { fetchTopic, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/**
 * Runs the actions of all users concurrently. The emulator of a deployed fleet starts a process for every concurrent call,
 * of which two processors support few: there each user acts sequentially, and starts 150 ms after the previous one.
 */
async function runConcurrently<T>(
  people: readonly Person[],
  actionsOf: (person: Person, n: number) => (() => Promise<T>)[],
) {
  const runs = people.map(async (person, n) => {
    if (isLocal()) return Promise.all(actionsOf(person, n).map((act) => act()));
    await pause(n * 150);
    const results: T[] = [];
    for (const act of actionsOf(person, n)) results.push(await act());
    return results;
  });
  return (await Promise.all(runs)).flat();
}

test("the messages, reactions, edits and read marks of fifty concurrent users are all stored", {
  timeout: 180_000,
}, async () => {
  const people = await Promise.all(Array.from({ length: 50 }, (_, n) => aPerson(`Player ${n}`)));
  const stage = await aChannel("stage", people.slice(0, 40));
  const [first] = people as [Person, ...Person[]];
  const own = await runConcurrently(people, (person, n) => [() => sendToChannel(person, stage, "all", `text ${n}`)]);
  const [newlyReacted, alreadyReacted] = [own[25] as number, own[10] as number];
  const heart = { emoji_name: "heart" };
  await runConcurrently(people.slice(0, 25), (person) => [
    () => person.call("POST", `/messages/${alreadyReacted}/reactions`, heart),
  ]);

  const replies = await runConcurrently(people, (person, n) => [
    () => person.call("POST", "/messages", { type: "channel", to: stage.id, topic: "all", content: `more ${n}` }),
    () => person.call("POST", `/messages/${newlyReacted}/reactions`, { emoji_name: ["heart", "tada", "smile"][n % 3] }),
    // Half of them remove their own reaction, the other half add the same one.
    () => person.call(n < 25 ? "DELETE" : "POST", `/messages/${alreadyReacted}/reactions`, heart),
    () => person.call("PATCH", `/messages/${own[n]}`, { content: `edited ${n}` }),
    () => person.call("POST", "/messages/flags", { messages: own.slice(0, 25), op: "add", flag: "read" }),
    () => person.call("POST", "/messages/flags", { messages: own.slice(25), op: "add", flag: "read" }),
  ]);

  expect(replies.filter(({ status }) => status !== 200).map(({ body }) => body.msg)).toEqual([]);
  const messages = await fetchTopic(first, stage, "all");
  const ids = messages.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  const sent = replies.flatMap(({ body }) => (body.id === undefined ? [] : [body.id as number]));
  expect([...ids].sort()).toEqual([...own, ...sent].sort());
  expect(messages.map(({ content }) => content).sort()).toEqual(
    people.flatMap((_, n) => [`edited ${n}`, `more ${n}`]).sort(),
  );
  const reactors = (id: number) =>
    messages.find((message) => message.id === id).reactions.map((one: { user_id: number }) => one.user_id);
  const everyone = people.map(({ id }) => id);
  expect(reactors(newlyReacted).sort()).toEqual([...everyone].sort());
  expect(reactors(alreadyReacted).sort()).toEqual(everyone.slice(25).sort());
  // For users who are not subscribed, the channel's history always counts as read.
  for (const person of [people[0], people[20], people[39]] as Person[]) {
    const fetched = await fetchTopic(person, stage, "all");
    expect(fetched.filter(({ id, flags }) => own.includes(id) && !flags.includes("read"))).toEqual([]);
    expect(fetched.map(({ id }) => id)).toEqual(ids);
  }
});
