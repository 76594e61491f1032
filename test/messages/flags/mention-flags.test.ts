import { expect, test } from "vitest";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

const flagsFor = async (person: Person, narrow: unknown[]) => {
  const { body } = await person.call("GET", "/messages", { narrow, anchor: "newest", num_before: 20, num_after: 0 });
  return body.messages.map(({ id, flags }: { id: number; flags: string[] }) => [id, flags]);
};

test("mentions of a person, a topic and a channel set the flags of those concerned", async () => {
  const [speed, launce, julia, sylvia] = await Promise.all(
    ["Speed", "Launce", "Julia", "Sylvia"].map((name) => aPerson(name)),
  );
  const [s, l, j, outsider] = [speed, launce, julia, sylvia] as [Person, Person, Person, Person];
  const verona = await aChannel("verona", [s, l, j]);
  const send = async (person: Person, content: string, topic = "dogs") => {
    const to = { type: "channel", to: verona.id, topic };
    return (await person.call("POST", "/messages", { ...to, content })).body.id as number;
  };
  await send(l, "I think Crab my dog be the sourest-natured dog that lives");
  const personMention = await send(s, `@**Julia|${j.id}** @**Sylvia|${outsider.id}** come`);
  const silentMention = await send(s, `@_**Julia|${j.id}** came`);
  const topicMention = await send(s, "@**topic** what of the dog?");
  const channelMention = await send(s, "@**all** farewell");

  expect(await flagsFor(j, [["is", "mentioned"]])).toEqual([
    [personMention, ["mentioned"]],
    [channelMention, ["stream_wildcard_mentioned", "wildcard_mentioned"]],
  ]);
  expect(await flagsFor(l, [["is", "mentioned"]])).toEqual([
    [topicMention, ["topic_wildcard_mentioned", "wildcard_mentioned"]],
    [channelMention, ["stream_wildcard_mentioned", "wildcard_mentioned"]],
  ]);
  expect(await flagsFor(outsider, [["is", "mentioned"]])).toEqual([]);
  expect(
    await flagsFor(outsider, [
      ["channel", verona.name],
      ["id", String(personMention)],
    ]),
  ).toEqual([[personMention, ["read", "historical"]]]);
  expect(await flagsFor(j, [["id", String(silentMention)]])).toEqual([[silentMention, []]]);
});

test("an edit sets the flags of newly mentioned people and clears those of the others", async () => {
  const [ford, page] = [await aPerson("Ford"), await aPerson("Page")];
  const windsor = await aChannel("windsor", [ford, page]);
  const { body } = await ford.call("POST", "/messages", {
    type: "channel",
    to: windsor.id,
    topic: "t",
    content: "Is Falstaff there?",
  });

  await ford.do("PATCH", `/messages/${body.id}`, { content: `@**Page|${page.id}** is Falstaff there?` });
  expect(await flagsFor(page, [["is", "mentioned"]])).toEqual([[body.id, ["mentioned"]]]);

  await ford.do("PATCH", `/messages/${body.id}`, { content: "is Falstaff there, I say?" });
  expect(await flagsFor(page, [["is", "mentioned"]])).toEqual([]);
});
