import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

let portia: Person;
let vault: Channel;
beforeAll(async () => {
  portia = await aPerson("Portia");
  vault = await aChannel("vault", [await aPerson("Shylock")], { inviteOnly: true });
});

type Term = [operator: string, operand: unknown];
const fetchNarrow = ([operator, operand]: Term) =>
  portia.call("GET", "/messages", { narrow: [{ operator, operand }], anchor: "newest", num_before: 100, num_after: 0 });

test.each([
  ["an unknown operand of is", ["is", "lovely"], "unknown 'is' operand lovely"],
  ["an unknown operand of has", ["has", "wings"], "unknown 'has' operand wings"],
  ["an unknown operand of in", ["in", "venice"], "unknown 'in' operand venice"],
  ["an unknown operand of channels", ["channels", "all"], "unknown channels operand all"],
  ["an unknown channel", ["channel", "no such channel"], "unknown channel no such channel"],
  ["an unknown channel ID", ["channel", 999_999_999], "unknown channel 999999999"],
  ["an unknown sender", ["sender", "no.such.person@globe.test"], "unknown user in no.such.person@globe.test"],
  ["an unknown person of a conversation", ["dm", [999_999_999]], "unknown user in 999999999"],
  ["an invalid ID", ["id", "twelve"], "Invalid message ID"],
  ["`with` an unknown message as the only term", ["with", 999_999_999], "Invalid 'with' operator"],
] as [string, Term, string][])("refuses %s", async (_, term, desc) => {
  expect(await fetchNarrow(term)).toMatchObject({
    status: 400,
    body: { code: "BAD_NARROW", desc, msg: `Invalid narrow operator: ${desc}` },
  });
});

test.each([
  ["GET", "/messages/matches_narrow", { msg_ids: [] }],
  ["POST", "/messages/flags/narrow", { anchor: "newest", num_before: 1, num_after: 0, op: "add", flag: "read" }],
])("%s %s refuses a narrow like a fetch", async (method, path, params) => {
  expect(await portia.call(method, path, { ...params, narrow: [["is", "lovely"]] })).toMatchObject({
    status: 400,
    body: { code: "BAD_NARROW", desc: "unknown 'is' operand lovely" },
  });
});

test("a channel that the caller may not read gets the same error as an unknown one", async () => {
  expect((await fetchNarrow(["channel", vault.id])).body).toMatchObject({
    code: "BAD_NARROW",
    desc: `unknown channel ${vault.id}`,
  });
});

test.each([
  ["a search for nothing", ["search", " "]],
  ["a topic that is a number", ["topic", 7]],
  ["a sender that is a list", ["sender", [1]]],
] as [string, Term][])("reports %s as malformed", async (_, term) => {
  expect(await fetchNarrow(term)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
});

test.each([
  ["a search that is too long", [{ operator: "search", operand: "x".repeat(1001) }], "search is too long"],
  [
    "several searches that are too long together",
    Array.from({ length: 3 }, () => ({ operator: "search", operand: "word ".repeat(80), negated: true })),
    "search is too long",
  ],
  ["too many searches", Array.from({ length: 11 }, () => ({ operator: "search", operand: "x" })), "too many searches"],
  [
    "too many people",
    Array.from({ length: 3 }, () => ({ operator: "dm", operand: Array(70).fill(1) })),
    "too many people",
  ],
])("refuses %s", async (_, narrow, desc) => {
  const reply = await portia.call("GET", "/messages", { narrow, anchor: "newest", num_before: 1, num_after: 0 });

  expect(reply).toMatchObject({
    status: 400,
    body: { code: "BAD_NARROW", desc: expect.stringContaining(desc) },
  });
});
