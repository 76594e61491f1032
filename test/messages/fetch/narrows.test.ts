import { beforeAll, describe, expect, test } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** All tests use the same messages, which `ids` maps from short names to IDs. */

let [portia, shylock, antonio, gobbo]: Person[] = [];
let [rialto, belmont, vault]: Channel[] = [];
const ids: Record<string, number> = {};

const send = async (name: string, person: Person, to: Record<string, unknown>, content: string) => {
  const { body } = await person.call("POST", "/messages", { ...to, content });
  ids[name] = body.id;
};
const inChannel = (channel: Channel, topic: string) => ({ type: "channel", to: channel.id, topic });
const direct = (...people: Person[]) => ({ type: "direct", to: people.map(({ id }) => id) });

beforeAll(async () => {
  [portia, shylock, antonio, gobbo] = await Promise.all(
    ["Portia", "Shylock", "Antonio", "Gobbo"].map((name) => aPerson(name)),
  );
  // By default a mentioned user follows the topic.
  await portia?.do("PATCH", "/settings", { automatically_follow_topics_where_mentioned: false });
  rialto = await aChannel("rialto", [portia as Person, shylock as Person]);
  belmont = await aChannel("belmont", [shylock as Person]);
  vault = await aChannel("vault", [shylock as Person], { inviteOnly: true });
  const [p, s, a] = [portia, shylock, antonio] as [Person, Person, Person];
  await send("bond", s, inChannel(rialto, "bond"), "three thousand ducats");
  await send("flesh", s, inChannel(rialto, "Bond"), "a pound of flesh https://example.com/x");
  await send("mercy", p, inChannel(rialto, "✔ mercy"), "The quality of mercy is not strained");
  await send("general", p, inChannel(rialto, ""), "no topic at all");
  await send("casket", s, inChannel(belmont, "caskets"), "lead");
  await send("hidden", s, inChannel(vault, "gold"), "ducats and daughters");
  await send("pair", s, direct(p), "dear lady");
  await send("trio", a, direct(p, s), "hear me");
  await send("self", p, direct(p), "a note to myself");
  await send("mention", s, inChannel(rialto, "bond"), `@**Portia|${p.id}** come to judgement`);
  await send("all", s, inChannel(rialto, "court"), "tarry all");
  await p.do("POST", "/messages/flags", { messages: [ids.bond, ids.self], op: "add", flag: "starred" });
  const readIds = ["bond", "flesh", "mercy", "general", "self"].map((name) => ids[name]);
  await p.do("POST", "/messages/flags", { messages: readIds, op: "add", flag: "read" });
});

type Term = [operator: string, operand: unknown, negated?: boolean];
const fetchNarrow = (terms: Term[], person = portia as Person, extra: Record<string, unknown> = {}) =>
  person.call("GET", "/messages", {
    narrow: terms.map(([operator, operand, negated]) => ({ operator, operand, ...(negated && { negated }) })),
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    ...extra,
  });
const namesOf = (messages: { id: number }[]) =>
  messages.map(({ id }) => Object.entries(ids).find(([, knownId]) => knownId === id)?.[0] ?? id);
const namesFound = async (terms: Term[], person?: Person) => {
  const { status, body } = await fetchNarrow(terms, person);
  expect(status).toBe(200);
  return namesOf(body.messages);
};

/** The anchor of a reply without unread messages: larger than any message ID. */
const noUnreadAnchor = 1e16;
const allNames = ["bond", "flesh", "mercy", "general", "pair", "trio", "self", "mention", "all"];

const cases: [string, () => Term[], string[]][] = [
  ["all messages for an empty narrow", () => [], allNames],
  ["a channel", () => [["channel", rialto?.id]], ["bond", "flesh", "mercy", "general", "mention", "all"]],
  [
    "a channel by its old operator and name",
    () => [["stream", rialto?.name]],
    ["bond", "flesh", "mercy", "general", "mention", "all"],
  ],
  ["another public channel", () => [["channel", belmont?.id]], ["casket"]],
  ["all but a channel", () => [["channel", rialto?.id, true]], ["pair", "trio", "self"]],
  ["a topic", () => [["topic", "BOND"]], ["bond", "flesh", "mention"]],
  [
    "a topic of a channel",
    () => [
      ["channel", rialto?.id],
      ["topic", "bond"],
    ],
    ["bond", "flesh", "mention"],
  ],
  [
    "the empty topic by its display name",
    () => [
      ["channel", rialto?.id],
      ["topic", "general chat"],
    ],
    ["general"],
  ],
  [
    "all but a topic of a channel",
    () => [
      ["channel", rialto?.id],
      ["topic", "bond", true],
    ],
    ["mercy", "general", "all"],
  ],
  ["a sender", () => [["sender", shylock?.email]], ["bond", "flesh", "pair", "mention", "all"]],
  [
    "a sender by ID in a channel",
    () => [
      ["sender", portia?.id],
      ["channel", rialto?.id],
    ],
    ["mercy", "general"],
  ],
  ["all but a sender", () => [["sender", shylock?.id, true]], ["mercy", "general", "trio", "self"]],
  ["a conversation", () => [["dm", [shylock?.id]]], ["pair"]],
  ["a conversation whose operand includes the caller", () => [["pm-with", [shylock?.id, portia?.id]]], ["pair"]],
  ["a group conversation by addresses", () => [["pm_with", `${shylock?.email},${antonio?.email}`]], ["trio"]],
  ["messages to oneself", () => [["dm", [portia?.id]]], ["self"]],
  ["nothing in a conversation without messages", () => [["dm", [gobbo?.id]]], []],
  [
    "all but a conversation",
    () => [
      ["is", "dm"],
      ["dm", [shylock?.id], true],
    ],
    ["trio", "self"],
  ],
  ["direct messages with someone", () => [["dm-including", shylock?.id]], ["pair", "trio"]],
  ["direct messages with oneself", () => [["dm-including", portia?.email]], ["pair", "trio", "self"]],
  ["group conversations", () => [["group-pm-with", shylock?.id]], ["trio"]],
  ["direct messages", () => [["is", "private"]], ["pair", "trio", "self"]],
  ["all but direct messages", () => [["is", "dm", true]], ["bond", "flesh", "mercy", "general", "mention", "all"]],
  ["starred messages", () => [["is", "starred"]], ["bond", "self"]],
  [
    "starred messages in a channel",
    () => [
      ["is", "starred"],
      ["channel", rialto?.id],
    ],
    ["bond"],
  ],
  ["unread messages", () => [["is", "unread"]], ["pair", "trio", "mention", "all"]],
  [
    "unread messages in a channel",
    () => [
      ["is", "unread"],
      ["channel", rialto?.id],
    ],
    ["mention", "all"],
  ],
  ["read messages", () => [["is", "unread", true]], ["bond", "flesh", "mercy", "general", "self"]],
  ["mentions", () => [["is", "mentioned"]], ["mention"]],
  [
    "all but mentions in a channel",
    () => [
      ["is", "mentioned", true],
      ["channel", rialto?.id],
    ],
    ["bond", "flesh", "mercy", "general", "all"],
  ],
  ["alert words", () => [["is", "alerted"]], []],
  ["followed topics, which include those that the caller began", () => [["is", "followed"]], ["mercy", "general"]],
  ["muted messages", () => [["is", "muted"]], []],
  ["unmuted messages", () => [["in", "home"]], allNames],
  ["everything with in:all", () => [["in", "all"]], allNames],
  ["resolved topics", () => [["is", "resolved"]], ["mercy"]],
  ["links", () => [["has", "link"]], ["flesh"]],
  [
    "messages without links",
    () => [
      ["has", "link", true],
      ["topic", "bond"],
    ],
    ["bond", "mention"],
  ],
  ["attachments", () => [["has", "attachment"]], []],
  ["images", () => [["has", "image"]], []],
  ["reactions", () => [["has", "reaction"]], []],
  ["one message", () => [["id", ids.flesh]], ["flesh"]],
  ["one message by its ID as text", () => [["id", String(ids.pair)]], ["pair"]],
  ["nothing for the ID of an unreadable message", () => [["id", ids.hidden]], []],
  [
    "a channel's messages with the operator near",
    () => [
      ["near", ids.flesh],
      ["channel", rialto?.id],
    ],
    ["bond", "flesh", "mercy", "general", "mention", "all"],
  ],
  [
    "the conversation with a message",
    () => [
      ["channel", belmont?.id],
      ["topic", "x"],
      ["with", ids.flesh],
    ],
    ["bond", "flesh", "mention"],
  ],
  [
    "the direct conversation with a message",
    () => [
      ["dm", [gobbo?.id]],
      ["with", ids.trio],
    ],
    ["trio"],
  ],
  [
    "the named conversation when the message of `with` is unreadable",
    () => [
      ["channel", rialto?.id],
      ["topic", "bond"],
      ["with", ids.hidden],
    ],
    ["bond", "flesh", "mention"],
  ],
  [
    "a word",
    () => [
      ["search", "ducats"],
      ["channel", rialto?.id],
    ],
    ["bond"],
  ],
  ["two words", () => [["search", "pound flesh"]], ["flesh"]],
  [
    "words of two searches",
    () => [
      ["search", "MERCY"],
      ["search", "strained"],
    ],
    ["mercy"],
  ],
  ["a quoted text", () => [["search", '"quality of mercy"']], ["mercy"]],
  ["a quoted text in another order", () => [["search", '"mercy of quality"']], []],
  ["a word of the topic", () => [["search", "court"]], ["all"]],
  [
    "messages without a word",
    () => [
      ["search", "flesh", true],
      ["topic", "bond"],
    ],
    ["bond", "mention"],
  ],
];

test.each(cases)("finds %s", async (_, terms, expected) => {
  expect(await namesFound(terms())).toEqual(expected);
});

test("channels:public adds the messages of public channels that the caller is not subscribed to", async () => {
  const fromPublicChannels = await namesFound([
    ["channels", "public"],
    ["sender", shylock?.id],
  ]);
  expect(fromPublicChannels).toEqual(["bond", "flesh", "casket", "mention", "all"]);
  expect(await namesFound([["channels", "public", true]])).toEqual(["pair", "trio", "self"]);
});

test("a fetch around an anchor returns messages on both sides of it, and that there are more", async () => {
  const page = await fetchNarrow([["sender", shylock?.id]], portia, { anchor: ids.pair, num_before: 1, num_after: 1 });

  expect(namesOf(page.body.messages)).toEqual(["flesh", "pair", "mention"]);
  expect(page.body).toMatchObject({ found_anchor: true, found_oldest: false, found_newest: false });
});

describe("the first unread message", () => {
  const firstUnread = async (terms: Term[], extra: Record<string, unknown> = { anchor: "first_unread" }) => {
    const { body } = await fetchNarrow(terms, portia, { anchor: undefined, num_before: 1, num_after: 1, ...extra });
    return { anchor: namesOf([{ id: body.anchor }])[0], messages: namesOf(body.messages) };
  };

  test("is found in the combined feed, a channel and a conversation", async () => {
    expect(await firstUnread([])).toEqual({ anchor: "pair", messages: ["general", "pair", "trio"] });
    expect(await firstUnread([["channel", rialto?.id]])).toEqual({
      anchor: "mention",
      messages: ["general", "mention", "all"],
    });
    expect(await firstUnread([["dm-including", antonio?.id]])).toEqual({ anchor: "trio", messages: ["trio"] });
    expect(await firstUnread([], { use_first_unread_anchor: true })).toMatchObject({ anchor: "pair" });
  });

  test("is found even if an anchor is sent together with use_first_unread_anchor", async () => {
    for (const anchor of ["10000000000000000", "oldest", "0", "nonsense"])
      expect(await firstUnread([], { anchor, use_first_unread_anchor: true })).toMatchObject({ anchor: "pair" });
    expect(await firstUnread([], { anchor: "oldest", use_first_unread_anchor: false })).toMatchObject({ anchor: 0 });
  });

  test("does not exist if everything is read: the newest message is returned", async () => {
    expect(await firstUnread([["dm", [portia?.id]]])).toEqual({ anchor: noUnreadAnchor, messages: ["self"] });
  });
});
