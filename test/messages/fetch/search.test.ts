import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { waitForSearchIndex } from "../../support/table/search-index.ts";
import { aChannel, aPerson, comparableCosts, costTest, type Person } from "../../support/world.ts";

let prospero: Person;
let ariel: Person;
let island: Channel;
const ids: Record<string, number> = {};

const send = async (name: string, content: string, to: Record<string, unknown> = {}) => {
  const destination = { type: "channel", to: island.id, topic: "tempest", ...to };
  const { body } = await prospero.call("POST", "/messages", { ...destination, content });
  ids[name] = body.id;
};
const search = (person: Person, query: string, terms: unknown[] = [], extra: Record<string, unknown> = {}) =>
  person.call("GET", "/messages", {
    narrow: [...terms, { operator: "search", operand: query }],
    anchor: "newest",
    num_before: 50,
    num_after: 0,
    ...extra,
  });
const namesFound = async (person: Person, query: string, terms: unknown[] = []) => {
  const { body } = await search(person, query, terms);
  return body.messages.map(({ id }: { id: number }) => Object.entries(ids).find(([, knownId]) => knownId === id)?.[0]);
};

beforeAll(async () => {
  [prospero, ariel] = await Promise.all([aPerson("Prospero"), aPerson("Ariel")]);
  island = await aChannel("island", [prospero, ariel]);
  const cell = await aChannel("cell", [prospero], { inviteOnly: true });
  await send("stuff", "We are such **stuff** as dreams are made on");
  await send("revels", "Our revels now are ended; these our actors were all spirits");
  await send("code", "Run `dreams & <stuff>` at once");
  await send("secret", "the stuff of secrets", { to: cell.id });
  await send("own", "dreams for myself", { type: "direct", to: [prospero.id] });
  await send("edited", "a brave new world");
  await send("deleted", "a sorrowful monster");
  await send("topic", "nothing of note", { topic: "ocean dreams" });
  await waitForSearchIndex();
});

test("a search finds all messages that the reader may read, and no others", async () => {
  expect(await namesFound(ariel, "dreams")).toEqual(["stuff", "code", "topic"]);
  expect(await namesFound(prospero, "DREAMS")).toEqual(["stuff", "code", "own", "topic"]);
  expect(await namesFound(ariel, "stuff")).toEqual(["stuff", "code"]);
});

test("a search finds messages with all of the words, and quoted phrases verbatim", async () => {
  expect(await namesFound(ariel, "dreams stuff")).toEqual(["stuff", "code"]);
  expect(await namesFound(ariel, '"revels now"')).toEqual(["revels"]);
  expect(await namesFound(ariel, '"now revels"')).toEqual([]);
  expect(await namesFound(ariel, 'actors "our revels"')).toEqual(["revels"]);
  expect(await namesFound(ariel, "ream")).toEqual([]);
});

test("a search for words in most messages scans the messages", async () => {
  expect(await namesFound(ariel, "as are we")).toEqual(["stuff"]);
});

test("a search can be combined with other narrow terms", async () => {
  const inChannel = { operator: "channel", operand: island.id };

  expect(await namesFound(ariel, "dreams", [inChannel])).toEqual(["stuff", "code", "topic"]);
  expect(await namesFound(ariel, "dreams", [inChannel, { operator: "topic", operand: "ocean dreams" }])).toEqual([
    "topic",
  ]);
  expect(await namesFound(prospero, "dreams", [{ operator: "is", operand: "dm" }])).toEqual(["own"]);
  expect(await namesFound(ariel, "dreams", [{ operator: "sender", operand: ariel.id }])).toEqual([]);
});

test("a search finds recent messages that are not in the index yet", async () => {
  await send("fresh", "full fathom five thy father lies");

  expect(await namesFound(ariel, "fathom father")).toEqual(["fresh"]);
});

test("a search reflects edits and deletions", async () => {
  await prospero.do("PATCH", `/messages/${ids.edited}`, { content: "a goodly creature" });
  await prospero.do("DELETE", `/messages/${ids.deleted}`);

  expect(await namesFound(ariel, "brave")).toEqual([]);
  expect(await namesFound(ariel, "sorrowful")).toEqual([]);
  await waitForSearchIndex();
  expect(await namesFound(ariel, "goodly")).toEqual(["edited"]);
  expect(await namesFound(ariel, "brave")).toEqual([]);
});

test("matches are highlighted in the HTML's text and in the topic, and nowhere else", async () => {
  const { body } = await search(ariel, "dreams", [{ operator: "topic", operand: "tempest" }]);
  const [stuff, code] = body.messages;

  expect(stuff.match_content).toBe(
    '<p>We are such <strong>stuff</strong> as <span class="highlight">dreams</span> are made on</p>',
  );
  expect(code.match_content).toBe(
    '<p>Run <code><span class="highlight">dreams</span> &amp; &lt;stuff&gt;</code> at once</p>',
  );
  expect(stuff.match_subject).toBe("tempest");
  const withoutMatch = await search(ariel, "amp");
  expect(withoutMatch.body.messages).toEqual([]);
});

test("a quoted phrase is highlighted across HTML escapes and tags", async () => {
  const quoted = await search(ariel, '"dreams & <stuff>"');
  expect(quoted.body.messages[0].match_content).toBe(
    '<p>Run <code><span class="highlight">dreams &amp; &lt;stuff&gt;</span></code> at once</p>',
  );

  const overTags = await search(ariel, '"such stuff as"');
  expect(overTags.body.messages[0].match_content).toBe(
    '<p>We are <span class="highlight">such </span><strong><span class="highlight">stuff</span></strong><span class="highlight"> as</span> dreams are made on</p>',
  );
});

test("a topic is escaped, with its matches highlighted", async () => {
  await send("noises", "full of noises, sounds and sweet airs", { topic: `Caliban's "isle" & <shore>` });
  const { body } = await search(ariel, "isle");

  expect(body.messages.map(({ match_subject }: { match_subject: string }) => match_subject)).toEqual([
    'Caliban&#39;s &quot;<span class="highlight">isle</span>&quot; &amp; &lt;shore&gt;',
  ]);
});

test("nothing is highlighted without a search", async () => {
  const { body } = await ariel.call("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0 });

  expect(body.messages[0]).not.toHaveProperty("match_content");
});

costTest("a search costs at most 20 read units: it reads the index, not the history", async () => {
  await waitForSearchIndex();

  const { cost, body } = await search(ariel, "revels");

  expect(body.messages).toHaveLength(1);
  // Up to 31 messages that are new or changed since the newest segment are read themselves.
  expect(cost.readUnits).toBeLessThanOrEqual(20);
});

costTest("a search of many words looks up ten of them", async () => {
  const words = Array.from({ length: 200 }, (_, index) => `w${index}`).join(" ");

  const costOf = async (query: string) => {
    const { status, body, cost } = await search(ariel, query);
    expect([status, body.messages]).toEqual([200, []]);
    return cost;
  };

  const [costOfMany, costOfTen] = await comparableCosts(async () => [
    await costOf(words),
    await costOf(words.split(" ").slice(0, 10).join(" ")),
  ]);

  expect(costOfMany.tableCalls).toBeLessThanOrEqual(costOfTen.tableCalls);
});
