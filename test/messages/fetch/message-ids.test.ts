import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

let banquo: Person;
let fleance: Person;
let heath: Channel;
let ids: number[];

beforeAll(async () => {
  [banquo, fleance] = await Promise.all([aPerson("Banquo"), aPerson("Fleance")]);
  heath = await aChannel("heath", [banquo]);
  const secret = await aChannel("secret", [banquo], { inviteOnly: true });
  ids = [];
  for (const channel of [heath, heath, secret]) {
    const { body } = await banquo.call("POST", "/messages", {
      type: "channel",
      to: channel.id,
      topic: "night",
      content: `How goes the night in **${channel === heath ? "the heath" : "secret"}** & elsewhere?`,
    });
    ids.push(body.id);
  }
});

const get = (params: Record<string, unknown>) => fleance.call("GET", "/messages", params);

test("message_ids returns the messages that exist and may be read, and no anchor", async () => {
  const { body } = await get({ message_ids: [ids[2], ids[1], 999_999_999, ids[0], ids[0]] });

  expect(body.messages.map(({ id }: { id: number }) => id)).toEqual([ids[0], ids[1]]);
  expect(body).toMatchObject({ found_anchor: false, found_oldest: false, found_newest: false });
  expect(body).not.toHaveProperty("anchor");
  expect(body.messages[0].flags).toEqual(["read", "historical"]);
});

test("message_ids can be combined with a narrow", async () => {
  const { body } = await get({ message_ids: ids, narrow: [["search", "heath"]] });

  expect(body.messages).toHaveLength(2);
  expect(body.messages[0].match_content).toBe(
    '<p>How goes the night in <strong>the <span class="highlight">heath</span></strong> &amp; elsewhere?</p>',
  );
  expect(body.messages[0].match_subject).toBe("night");
});

test.each([
  [{ anchor: "newest" }, "message_ids, anchor"],
  [{ num_before: 1, num_after: 2 }, "message_ids, num_before, num_after"],
  [{ include_anchor: true }, "message_ids, include_anchor"],
  [{ use_first_unread_anchor: false }, "message_ids, use_first_unread_anchor"],
])("message_ids cannot be combined with %j", async (extra, parameters) => {
  expect(await get({ message_ids: ids, ...extra })).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: `Unsupported parameter combination: ${parameters}`, parameters },
  });
});

const getWithForm = (list: readonly number[]) =>
  fleance.call("GET", "/messages", {}, { body: new URLSearchParams({ message_ids: JSON.stringify(list) }).toString() });

test("5000 message_ids, which no URL can hold, are sent as a form", async () => {
  const unknownIds = Array.from({ length: 4997 }, (_, index) => 900_000_000_000 + index);

  const { status, body } = await getWithForm([...unknownIds, ...ids]);

  expect(status).toBe(200);
  expect(body.messages.map(({ id }: { id: number }) => id)).toEqual([ids[0], ids[1]]);
});

test("more than 5000 message_ids are refused", async () => {
  const { status, body } = await getWithForm(Array.from({ length: 5001 }, (_, index) => index));

  expect(status).toBe(400);
  expect(body.msg).toBe("Too many messages requested (maximum 5000).");
});

test("a single message comes with its raw content", async () => {
  const { body } = await fleance.call("GET", `/messages/${ids[0]}`, { apply_markdown: false });

  expect(body.message).toMatchObject({ id: ids[0], stream_id: heath.id, flags: ["read", "historical"] });
  expect(body.message.content).toBe(body.raw_content);
  expect((await fleance.call("GET", `/messages/${ids[0]}`)).body.message.content).toContain(
    "<strong>the heath</strong>",
  );
});

test("a single message that does not exist or may not be read is refused", async () => {
  const invalid = { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid message(s)" } };

  expect(await fleance.call("GET", `/messages/${ids[2]}`)).toMatchObject(invalid);
  expect(await fleance.call("GET", "/messages/999999999")).toMatchObject(invalid);
});

test("matches_narrow returns which of the messages match", async () => {
  const { body } = await fleance.call("GET", "/messages/matches_narrow", {
    msg_ids: ids,
    narrow: [
      ["channel", heath.name],
      ["search", "night"],
    ],
  });

  expect(Object.keys(body.messages).map(Number)).toEqual([ids[0], ids[1]]);
  expect(body.messages[String(ids[0])]).toEqual({
    match_content:
      '<p>How goes the <span class="highlight">night</span> in <strong>the heath</strong> &amp; elsewhere?</p>',
    match_subject: '<span class="highlight">night</span>',
  });
});

test("flags are updated for all messages of a narrow around an anchor", async () => {
  const change = (extra: Record<string, unknown>) =>
    banquo.call("POST", "/messages/flags/narrow", {
      anchor: "newest",
      num_before: 100,
      num_after: 0,
      narrow: [["channel", heath.name]],
      op: "add",
      flag: "read",
      ...extra,
    });

  expect((await change({})).body).toEqual({
    result: "success",
    msg: "",
    processed_count: 2,
    updated_count: 2,
    first_processed_id: ids[0],
    last_processed_id: ids[1],
    found_oldest: true,
    found_newest: true,
  });
  expect((await change({ num_before: 1 })).body).toMatchObject({
    processed_count: 1,
    updated_count: 0,
    found_oldest: false,
  });
  expect((await change({ op: "remove" })).body).toMatchObject({
    updated_count: 2,
    ignored_because_not_subscribed_channels: [],
  });
  expect((await change({ narrow: [["is", "starred"]] })).body).toMatchObject({
    processed_count: 0,
    first_processed_id: null,
    last_processed_id: null,
  });
  expect((await change({ flag: "historical" })).body.msg).toBe("Flag not editable: 'historical'");
});
