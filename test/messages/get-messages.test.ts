import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The anchor of a reply to "newest": larger than any message ID. */
const newestAnchor = 1e16;
let viola: Person;
let orsino: Person;
let illyria: Channel;
/** Five messages in the channel, the second and fourth in another topic. */
let ids: number[];

beforeAll(async () => {
  [viola, orsino] = [await aPerson("Viola"), await aPerson("Orsino")];
  illyria = await aChannel("illyria", [viola, orsino]);
  ids = [];
  for (const topic of ["music", "love", "music", "Love", "music"]) {
    const sent = await orsino.call("POST", "/messages", {
      type: "channel",
      to: illyria.id,
      topic,
      content: `If ${topic} be the food`,
    });
    ids.push(sent.body.id);
  }
});

const fetchRange = async (params: Record<string, unknown>) => {
  const { status, body } = await viola.call("GET", "/messages", {
    narrow: [{ operator: "channel", operand: illyria.id }],
    ...params,
  });
  return { status, ...body, ids: body.messages?.map(({ id }: { id: number }) => ids.indexOf(id)) };
};

test("an existing anchor comes with the messages before and after it", async () => {
  const range = await fetchRange({ anchor: ids[2], num_before: 1, num_after: 1 });

  expect(range).toMatchObject({
    ids: [1, 2, 3],
    anchor: ids[2],
    found_anchor: true,
    found_oldest: false,
    found_newest: false,
    history_limited: false,
  });
});

test.each([
  [
    "newest",
    { anchor: "newest", num_before: 2, num_after: 5 },
    { ids: [3, 4], anchor: newestAnchor, found_anchor: false, found_oldest: false, found_newest: true },
  ],
  [
    "oldest",
    { anchor: "oldest", num_before: 5, num_after: 2 },
    { ids: [0, 1], anchor: 0, found_anchor: false, found_oldest: true, found_newest: false },
  ],
  [
    "a very large integer",
    { anchor: "10000000000000000", num_before: 10, num_after: 0 },
    { ids: [0, 1, 2, 3, 4], found_oldest: true, found_newest: true },
  ],
  [
    "a negative integer",
    { anchor: -5, num_before: 10, num_after: 1 },
    { ids: [0], anchor: 0, found_oldest: true, found_newest: false },
  ],
  [
    "newest, with both counts zero",
    { anchor: "newest", num_before: 0, num_after: 0 },
    { ids: [], found_newest: true, found_oldest: false },
  ],
])("returns the expected range for the anchor: %s", async (_, params, expected) => {
  expect(await fetchRange(params)).toMatchObject(expected);
});

test("include_anchor=false omits the anchor at an end of the range", async () => {
  const after = await fetchRange({ anchor: ids[2], num_before: 0, num_after: 5, include_anchor: false });
  const before = await fetchRange({ anchor: ids[2], num_before: 5, num_after: 0, include_anchor: false });
  const inTheMiddle = await fetchRange({ anchor: ids[2], num_before: 1, num_after: 1, include_anchor: false });

  expect(after).toMatchObject({ ids: [3, 4], found_anchor: false, found_newest: true, found_oldest: false });
  expect(before).toMatchObject({ ids: [0, 1], found_anchor: false, found_newest: false, found_oldest: true });
  expect(inTheMiddle).toMatchObject({ status: 400, msg: "The anchor can only be excluded at an end of the range" });
});

test("with both counts zero only the anchor is returned", async () => {
  expect(await fetchRange({ anchor: ids[1], num_before: 0, num_after: 0 })).toMatchObject({
    ids: [1],
    found_anchor: true,
    found_oldest: false,
    found_newest: false,
  });
});

test("a count that equals the number of messages does not report the end as found", async () => {
  expect(await fetchRange({ anchor: ids[2], num_before: 2, num_after: 2 })).toMatchObject({
    found_oldest: false,
    found_newest: false,
  });
  expect(await fetchRange({ anchor: ids[2], num_before: 3, num_after: 3 })).toMatchObject({
    found_oldest: true,
    found_newest: true,
  });
});

test("an anchor that is not in the narrow still determines the position", async () => {
  const narrow = [
    { operator: "stream", operand: illyria.name },
    { operator: "topic", operand: "LOVE" },
  ];

  const range = await fetchRange({ narrow, anchor: ids[2], num_before: 5, num_after: 5 });

  expect(range).toMatchObject({ ids: [1, 3], found_anchor: false, found_oldest: true, found_newest: true });
});

test("a narrow may be a list of pairs", async () => {
  const narrow = [
    ["channel", illyria.name],
    ["topic", "music"],
  ];

  expect(await fetchRange({ narrow, anchor: "newest", num_before: 10, num_after: 0 })).toMatchObject({
    ids: [0, 2, 4],
  });
});

test("the combined feed has all channels and conversations, ordered by message ID", async () => {
  const [beatrice, benedick] = [await aPerson("Beatrice"), await aPerson("Benedick")];
  const [messina, garden] = [
    await aChannel("messina", [beatrice, benedick]),
    await aChannel("garden", [beatrice, benedick]),
  ];
  const sent: number[] = [];
  for (const to of [
    { type: "channel", to: messina.id, topic: "wit" },
    { type: "direct", to: [beatrice.id] },
    { type: "channel", to: garden.id, topic: "wit" },
    { type: "channel", to: messina.id, topic: "wit" },
  ]) {
    const { body } = await benedick.call("POST", "/messages", { ...to, content: "What, my dear Lady Disdain!" });
    sent.push(body.id);
  }

  const { body } = await beatrice.call("GET", "/messages", { anchor: "newest", num_before: 10, num_after: 0 });

  expect(body.messages.map(({ id }: { id: number }) => id)).toEqual(sent);
});

test("a private channel gives an outsider the same error as an unknown channel", async () => {
  const [prospero, ariel, caliban] = [await aPerson("Prospero"), await aPerson("Ariel"), await aPerson("Caliban")];
  const cell = await aChannel("cell", [prospero, ariel], { inviteOnly: true });
  await prospero.do("POST", "/messages", { type: "channel", to: cell.id, topic: "t", content: "We are such stuff" });
  const params = { anchor: "newest", num_before: 10, num_after: 0, narrow: [["channel", cell.name]] };

  const insidersReply = await ariel.call("GET", "/messages", params);
  const outsidersReply = await caliban.call("GET", "/messages", params);
  const unknown = await caliban.call("GET", "/messages", { ...params, narrow: [["channel", "no such channel"]] });

  expect(insidersReply.body.messages).toHaveLength(1);
  const refusal = (name: string) => ({
    result: "error",
    code: "BAD_NARROW",
    msg: `Invalid narrow operator: unknown channel ${name}`,
    desc: `unknown channel ${name}`,
  });
  expect(outsidersReply.status).toBe(400);
  expect(outsidersReply.body).toEqual(refusal(cell.name));
  expect(unknown.body).toEqual(refusal("no such channel"));
});

test("any member can read a public channel, a guest only as a subscriber", async () => {
  const [antonio, guest] = [await aPerson("Antonio"), await aPerson("Feste", { role: "guest" })];
  const params = { anchor: "newest", num_before: 10, num_after: 0, narrow: [["channel", illyria.name]] };

  expect((await antonio.call("GET", "/messages", params)).body.messages).toHaveLength(5);
  expect((await antonio.call("GET", "/messages", { ...params, narrow: [] })).body.messages).toEqual([]);
  expect((await guest.call("GET", "/messages", params)).body.code).toBe("BAD_NARROW");
});

test("a client that cannot compute gravatars gets their URLs", async () => {
  const { body } = await viola.call("GET", "/messages", {
    anchor: "newest",
    num_before: 1,
    num_after: 0,
    client_gravatar: false,
  });

  expect(body.messages[0].avatar_url).toMatch(
    /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/,
  );
});

test.each([
  ["a missing anchor", { num_before: 1, num_after: 1 }, "BAD_REQUEST", "Missing 'anchor' argument."],
  ["an invalid anchor", { anchor: "tomorrow", num_before: 1, num_after: 1 }, "BAD_REQUEST", "Invalid anchor"],
  ["a missing count", { anchor: "newest", num_after: 1 }, "REQUEST_VARIABLE_MISSING", "Missing 'num_before' argument"],
  ["a negative count", { anchor: "newest", num_before: -1, num_after: 1 }, "BAD_REQUEST", "num_before is too small"],
  [
    "a count that is not a number",
    { anchor: "newest", num_before: '"1"', num_after: 1 },
    "BAD_REQUEST",
    "num_before is not an integer",
  ],
  [
    "too many messages",
    { anchor: "newest", num_before: 5000, num_after: 1 },
    "BAD_REQUEST",
    "Too many messages requested (maximum 5000).",
  ],
  [
    "an unknown operator",
    { anchor: "newest", num_before: 1, num_after: 1, narrow: [["colour", "red"]] },
    "BAD_NARROW",
    "Invalid narrow operator: unknown operator colour",
  ],
  [
    "a narrow that is not a list",
    { anchor: "newest", num_before: 1, num_after: 1, narrow: "{}" },
    "BAD_REQUEST",
    "narrow is not a list",
  ],
  [
    "a narrow that is not JSON",
    { anchor: "newest", num_before: 1, num_after: 1, narrow: "[" },
    "BAD_REQUEST",
    "narrow is not valid JSON",
  ],
  [
    "a term that is not a pair",
    { anchor: "newest", num_before: 1, num_after: 1, narrow: [["channel"]] },
    "BAD_REQUEST",
    "narrow element is not a pair",
  ],
  [
    "a narrow with a channel and a person",
    {
      anchor: "newest",
      num_before: 1,
      num_after: 1,
      narrow: [
        ["channel", "a"],
        ["dm", "b@c.test"],
      ],
    },
    "BAD_NARROW",
    "Invalid narrow operator: No message can be both a channel message and direct message",
  ],
])("refuses %s", async (_, params, code, msg) => {
  expect(await viola.call("GET", "/messages", params)).toMatchObject({
    status: 400,
    body: { result: "error", code, msg },
  });
});
