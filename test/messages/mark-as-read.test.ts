import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let hermia: Person;
let helena: Person;
let wood: Channel;
let athens: Channel;
let ids: Record<"woodA" | "woodB" | "athens" | "direct", number>;

beforeAll(async () => {
  [hermia, helena] = await Promise.all([aPerson("Hermia"), aPerson("Helena")]);
  [wood, athens] = await Promise.all([aChannel("wood", [hermia, helena]), aChannel("athens", [hermia, helena])]);
});

const send = async (to: Record<string, unknown>) => {
  const { body } = await helena.call("POST", "/messages", { ...to, content: "Love looks not with the eyes" });
  return body.id as number;
};
const sendAll = async () => {
  ids = {
    woodA: await send({ type: "channel", to: wood.id, topic: "A" }),
    woodB: await send({ type: "channel", to: wood.id, topic: "B" }),
    athens: await send({ type: "channel", to: athens.id, topic: "A" }),
    direct: await send({ type: "direct", to: [hermia.id] }),
  };
};
const unreadNames = async (person = hermia) => {
  const { body } = await person.call("GET", "/messages", { anchor: "newest", num_before: 100, num_after: 0 });
  const unreadMessages = body.messages.filter(({ flags }: { flags: string[] }) => !flags.includes("read"));
  return Object.entries(ids)
    .filter(([, id]) => unreadMessages.some((message: { id: number }) => message.id === id))
    .map(([name]) => name);
};

test("mark_all_as_read marks all messages", async () => {
  await sendAll();
  expect(await unreadNames()).toEqual(["woodA", "woodB", "athens", "direct"]);

  expect((await hermia.call("POST", "/mark_all_as_read")).body).toEqual({ result: "success", msg: "", complete: true });

  expect(await unreadNames()).toEqual([]);
  expect(await unreadNames(helena)).toEqual(["woodA", "woodB", "athens", "direct"]);
});

test("messages that arrive after mark_all_as_read are unread", async () => {
  await hermia.do("POST", "/mark_all_as_read");
  await sendAll();

  expect(await unreadNames()).toEqual(["woodA", "woodB", "athens", "direct"]);
});

test("one channel is marked as read", async () => {
  await sendAll();

  expect((await hermia.call("POST", "/mark_stream_as_read", { stream_id: wood.id })).body).toEqual({
    result: "success",
    msg: "",
  });

  expect(await unreadNames()).toEqual(["athens", "direct"]);
});

test("one topic is marked as read, ignoring case", async () => {
  await sendAll();

  await hermia.do("POST", "/mark_topic_as_read", { stream_id: wood.id, topic_name: "b" });

  expect(await unreadNames()).toEqual(["woodA", "athens", "direct"]);
});

test("marking a channel or topic that the caller cannot see is refused", async () => {
  const secret = await aChannel("secret", [helena], { inviteOnly: true });

  const channel = await hermia.call("POST", "/mark_stream_as_read", { stream_id: secret.id });
  const topic = await hermia.call("POST", "/mark_topic_as_read", { stream_id: wood.id, topic_name: "no such" });
  const withoutId = await hermia.call("POST", "/mark_stream_as_read", {});

  expect(channel).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: "Invalid channel ID" } });
  expect(topic).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: "No such topic 'no such'" } });
  expect(withoutId.body.code).toBe("REQUEST_VARIABLE_MISSING");
});
