import { expect, test } from "vitest";
import { draftsState } from "../../shared/features/drafts/drafts.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const list = async (person: Person) => (await person.call("GET", "/drafts")).body;
const storeDrafts = (person: Person, ...drafts: unknown[]) => person.call("POST", "/drafts", { drafts });
const unaddressedDraft = { type: "", to: [], topic: "", content: "To be", timestamp: 1000 };
const refused = (msg: string) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });
const draftMissing = { status: 404, body: { code: "BAD_REQUEST", msg: "Draft does not exist" } };

test("drafts of every kind are stored and listed, the last edited first", async () => {
  const [hamlet, horatio] = [await aPerson("Hamlet"), await aPerson("Horatio")];
  const castle = await aChannel("castle", [hamlet]);

  const reply = await storeDrafts(
    hamlet,
    unaddressedDraft,
    { type: "stream", to: [castle.id], topic: " ghosts ", content: "or not  ", timestamp: 3000 },
    { type: "private", to: [horatio.id], topic: "dropped", content: "to be", timestamp: 2000.7 },
  );

  const [first, second, third] = reply.body.ids;
  expect(await list(hamlet)).toEqual({
    result: "success",
    msg: "",
    count: 3,
    drafts: [
      { id: second, type: "stream", to: [castle.id], topic: "ghosts", content: "or not", timestamp: 3000 },
      { id: third, type: "private", to: [horatio.id], topic: "", content: "to be", timestamp: 2000 },
      { id: first, ...unaddressedDraft },
    ],
  });
  expect((await draftsState(hamlet as never)).drafts).toHaveLength(3);
  expect((await list(horatio)).count).toBe(0);
});

test("a draft without a timestamp gets the current time", async () => {
  const hamlet = await aPerson("Hamlet");

  await storeDrafts(hamlet, { ...unaddressedDraft, timestamp: undefined });

  expect(Math.abs((await list(hamlet)).drafts[0].timestamp - Date.now() / 1000)).toBeLessThan(60);
});

test("adding, replacing and removing a draft each send an event to its owner", async () => {
  const hamlet = await aPerson("Hamlet");
  const end = await logEnd();
  const [id] = (await storeDrafts(hamlet, unaddressedDraft)).body.ids;
  const editedDraft = { ...unaddressedDraft, content: "not to be", timestamp: 5000 };

  expect((await hamlet.call("PATCH", `/drafts/${id}`, { draft: editedDraft })).body).toEqual({
    result: "success",
    msg: "",
  });
  expect((await list(hamlet)).drafts).toEqual([{ id, ...editedDraft }]);
  expect((await hamlet.call("DELETE", `/drafts/${id}`)).body).toEqual({ result: "success", msg: "" });
  expect((await list(hamlet)).drafts).toEqual([]);

  const isOfDraft = (event: any) => [event.draft_id, event.draft?.id, event.drafts?.[0]?.id].includes(id);
  const events = await eventsAfter(end, "drafts", isOfDraft);
  expect(events).toEqual(
    [
      { op: "add", drafts: [{ id, ...unaddressedDraft }] },
      { op: "update", draft: { id, ...editedDraft } },
      { op: "remove", draft_id: id },
    ].map((event) => ({ audience: { kind: "users", userIds: [hamlet.id] }, event: { type: "drafts", ...event } })),
  );
});

test("another user's draft gets the same error as an unknown one", async () => {
  const [hamlet, claudius] = [await aPerson("Hamlet"), await aPerson("Claudius")];
  const [id] = (await storeDrafts(hamlet, unaddressedDraft)).body.ids;

  expect(await claudius.call("DELETE", `/drafts/${id}`)).toMatchObject(draftMissing);
  expect(await claudius.call("PATCH", `/drafts/${id}`, { draft: unaddressedDraft })).toMatchObject(draftMissing);
  expect(await claudius.call("DELETE", "/drafts/99999999")).toMatchObject(draftMissing);
});

test.each([
  ["two channels", { type: "stream", to: [1, 2] }, "Must specify exactly 1 channel ID for channel messages"],
  ["an unknown channel", { type: "stream", to: [999_999] }, "Invalid channel ID"],
  ["an unknown user", { type: "private", to: [99_999_999] }, "Invalid user ID 99999999"],
  ["a negative timestamp", { timestamp: -5 }, "Timestamp must not be negative."],
  ["a timestamp that is too large", { timestamp: 2 ** 55 }, 'drafts[0]["timestamp"] is too large'],
  ["an empty text", { content: " " }, "Message must not be empty"],
  ["an unknown type", { type: "letter" }, 'Invalid drafts[0]["type"]'],
])("refuses %s, and stores none of the drafts", async (_, change, msg) => {
  const hamlet = await aPerson("Hamlet");

  expect(await storeDrafts(hamlet, { ...unaddressedDraft, ...change }, unaddressedDraft)).toMatchObject(refused(msg));
  expect((await list(hamlet)).count).toBe(0);
});
