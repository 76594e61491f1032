import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { fetchTopic, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/**
 * The actions of all users, run concurrently. The emulator of a deployed fleet starts a process for every concurrent call,
 * of which two processors support few: there each user acts sequentially, one user after the other.
 */
async function together<T>(people: readonly Person[], acts: (person: Person, n: number) => (() => Promise<T>)[]) {
  const done = people.map(async (person, n) => {
    if (isLocal()) return Promise.all(acts(person, n).map((act) => act()));
    await pause(n * 150);
    const results: T[] = [];
    for (const act of acts(person, n)) results.push(await act());
    return results;
  });
  return (await Promise.all(done)).flat();
}

test("fifty users who send, react, edit and mark as read concurrently lose nothing", { timeout: 180_000 }, async () => {
  const people = await Promise.all(Array.from({ length: 50 }, (_, n) => aPerson(`Player ${n}`)));
  const stage = await aChannel("stage", people.slice(0, 40));
  const [first] = people as [Person, ...Person[]];
  const own = await together(people, (person, n) => [() => sendToChannel(person, stage, "all", `text ${n}`)]);
  const [middle, taken] = [own[25] as number, own[10] as number];
  const heart = { emoji_name: "heart" };
  await together(people.slice(0, 25), (person) => [() => person.call("POST", `/messages/${taken}/reactions`, heart)]);

  const acts = await together(people, (person, n) => [
    () => person.call("POST", "/messages", { type: "channel", to: stage.id, topic: "all", content: `more ${n}` }),
    () => person.call("POST", `/messages/${middle}/reactions`, { emoji_name: ["heart", "tada", "smile"][n % 3] }),
    // Half of them remove their own reaction, the other half add the same one.
    () => person.call(n < 25 ? "DELETE" : "POST", `/messages/${taken}/reactions`, heart),
    () => person.call("PATCH", `/messages/${own[n]}`, { content: `edited ${n}` }),
    () => person.call("POST", "/messages/flags", { messages: own.slice(0, 25), op: "add", flag: "read" }),
    () => person.call("POST", "/messages/flags", { messages: own.slice(25), op: "add", flag: "read" }),
  ]);

  expect(acts.filter(({ status }) => status !== 200).map(({ body }) => body.msg)).toEqual([]);
  const messages = await fetchTopic(first, stage, "all");
  const ids = messages.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  const sent = acts.flatMap(({ body }) => (body.id === undefined ? [] : [body.id as number]));
  expect([...ids].sort()).toEqual([...own, ...sent].sort());
  expect(messages.map(({ content }) => content).sort()).toEqual(
    people.flatMap((_, n) => [`edited ${n}`, `more ${n}`]).sort(),
  );
  const reactors = (id: number) =>
    messages.find((message) => message.id === id).reactions.map((one: { user_id: number }) => one.user_id);
  const everyone = people.map(({ id }) => id);
  expect(reactors(middle).sort()).toEqual([...everyone].sort());
  expect(reactors(taken).sort()).toEqual(everyone.slice(25).sort());
  // For users who are not subscribed, the channel's history always counts as read.
  for (const person of [people[0], people[20], people[39]] as Person[]) {
    const seen = await fetchTopic(person, stage, "all");
    expect(seen.filter(({ id, flags }) => own.includes(id) && !flags.includes("read"))).toEqual([]);
    expect(seen.map(({ id }) => id)).toEqual(ids);
  }
});
