import { expect, test } from "vitest";
import { formatRoute, homeOf, parseRoute, termsOfSearch, textOfTerms } from "../../web/navigation/address.ts";
import { termsOf } from "../../web/state/narrow.ts";

/** The URL fragments of the web client, which people share and type. */

test.each([
  ["#narrow", "does not say which messages"],
  ["#narrow/", "does not say which messages"],
  ["#narrow/channel", "ends after “channel”"],
  ["#narrow/channel/5-x/topic", "ends after “topic”"],
  ["#narrow/dm/nobody-dm", "“nobody-dm” in the link does not name users"],
  ["#narrow/dm/", "does not name users"],
  ["#narrow/dm/3,x-dm", "does not name users"],
  ["#narrow/dm/3,-4-dm", "does not name users"],
  ["#narrow/channel/5-x/near/latest", "“latest” in the link is not the number of a message"],
  ["#narrow/channel/5-x/near/0", "is not the number of a message"],
  ["#narrow/channel/5-x/near/1.5", "is not the number of a message"],
  ["#nowhere/5", "Page not found: “nowhere”"],
  ["#%E0%A4%A", "Page not found: “%E0%A4%A”"],
  [`#${"x".repeat(10_000)}`, `Page not found: “${"x".repeat(60)}…”.`],
])("the link %.40s is bad, and the reason says why", (hash, problem) => {
  expect(parseRoute(hash)).toEqual({ kind: "bad-link", problem: expect.stringContaining(problem) });
});

test.each([
  ["", { kind: "inbox" }],
  ["#", { kind: "inbox" }],
  ["#channels/all", { kind: "channels" }],
  ["#narrow/channel/5-x/", { kind: "narrow", narrow: { kind: "channel", channelId: 5 } }],
  ["#narrow/channel/5-x/topic/", { kind: "narrow", narrow: { kind: "topic", channelId: 5, topic: "" } }],
  ["#narrow/channel/5-x/topic/new", { kind: "narrow", narrow: { kind: "topic", channelId: 5, topic: "new" } }],
  ["#narrow/pm-with/3,4-group", { kind: "narrow", narrow: { kind: "direct", userIds: [3, 4] } }],
  ["#narrow/dm/3-dm/with/7", { kind: "narrow", narrow: { kind: "direct", userIds: [3] }, near: 7 }],
  ["#narrow/sender/3-Ada-Lovelace", { kind: "narrow", narrow: { kind: "sender", userId: 3 } }],
  ["#narrow/sender/3", { kind: "narrow", narrow: { kind: "sender", userId: 3 } }],
  ["#narrow/near/7", { kind: "narrow", narrow: { kind: "search", terms: [] }, near: 7 }],
])("the link %s names a view", (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});

test("a link that names no view names the one with which the user starts", () => {
  expect(["inbox", "recent_topics", "all_messages"].map((setting) => parseRoute("", () => homeOf(setting)))).toEqual([
    { kind: "inbox" },
    { kind: "recent" },
    { kind: "narrow", narrow: { kind: "feed" } },
  ]);
  expect(parseRoute("#drafts", () => homeOf("recent_topics"))).toEqual({ kind: "drafts" });
});

test("each part of a topic's name comes back from its link", () => {
  const narrow = { kind: "topic" as const, channelId: 5, topic: "a/b. (50%) near/1" };
  const hash = formatRoute({ kind: "narrow", narrow, near: 9 }, { channels: new Map() });
  expect(parseRoute(hash)).toEqual({ kind: "narrow", narrow, near: 9 });
});

const names = {
  channelIdOf: (name: string) => (name === "set design" ? 5 : undefined),
  channelNameOf: (id: number) => (id === 5 ? "set design" : undefined),
  userIdOf: (email: string) => ["ada@loom.test", "alan@loom.test"].indexOf(email) + 1 || undefined,
  emailOf: (id: number) => ["ada@loom.test", "alan@loom.test"][id - 1],
};

test("the quote of the last value of a search may be open", () => {
  expect(termsOfSearch('-has:link topic:"two words', names)).toEqual([
    { operator: "has", operand: "link", negated: true },
    { operator: "topic", operand: "two words" },
  ]);
  expect(termsOfSearch('channel:"set design', names)).toEqual([{ operator: "channel", operand: 5 }]);
});

test("people are named by names and addresses, also with commas and plus signs", () => {
  const people = ["ada+notes@loom.test", "Lovelace, Ada", "Alan"];
  const userIdOf = (name: string) => people.indexOf(name) + 1 || undefined;
  const termsIn = (text: string) => termsOfSearch(text, { ...names, userIdOf });
  expect(termsIn("from:ada+notes@loom.test")).toEqual([{ operator: "sender", operand: 1 }]);
  expect(termsIn('-mentions:"Lovelace, Ada"')).toEqual([{ operator: "mentions", operand: 2, negated: true }]);
  expect(termsIn('dm:"Alan, ada+notes@loom.test"')).toEqual([{ operator: "dm", operand: [3, 1] }]);
  expect(termsIn("sender:nobody")).toEqual([{ operator: "sender", operand: "nobody" }]);
});

test("the API gets the dates of a search as intervals of the browser's time zone", () => {
  const sent = (operand: string) => termsOf({ kind: "search", terms: [{ operator: "before", operand }] })[0]?.operand;
  const local = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString();
  expect(sent("2024-02-29")).toBe(`${local(2024, 2, 29)}/${local(2024, 3, 1)}`);
  expect(sent("2024-12")).toBe(`${local(2024, 12, 1)}/${local(2025, 1, 1)}`);
  expect(sent("2024")).toBe(`${local(2024, 1, 1)}/${local(2025, 1, 1)}`);
  for (const other of ["2023-02-29", "2024-13", "2024-05-01T12:00Z", "soon"]) expect(sent(other)).toBe(other);
});

test.each([
  'channel:"set design" topic:"two words" -has:link three more words',
  "mentions:ada@loom.test -before:2026-05-01 after:2025 date:2026-05",
  "dm:ada@loom.test,alan@loom.test is:unread",
  "dm-including:alan@loom.test",
  "sender:ada@loom.test topic:one near",
])("the search %s is the same text again after it was read from its link", (text) => {
  const terms = termsOfSearch(text, names);
  const route = parseRoute(formatRoute({ kind: "narrow", narrow: { kind: "search", terms } }, { channels: new Map() }));
  const parsed = route.kind === "narrow" && route.narrow.kind === "search" ? route.narrow.terms : terms;
  expect(textOfTerms(parsed, names)).toBe(text);
});
