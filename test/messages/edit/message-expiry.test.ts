import { expect, test } from "vitest";
import { listTopics } from "../../../shared/channels/topics.ts";
import { expireDirectMessagesInRange } from "../../../shared/messages/edit/expiry.ts";
import { listDetailKeys } from "../../../shared/store/messages/messages.ts";
import { queryItems } from "../../../shared/store/table/queries.ts";
import { getItem } from "../../../shared/store/table/table.ts";
import { fetchMessage, fetchTopic, sendDirect, sendToChannel } from "../../support/messages.ts";
import { backdateMessage } from "../../support/table/aging.ts";
import { scheduleNow } from "../../support/table/recurring.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson } from "../../support/world.ts";

const day = 86_400;
const item = (id: number) => getItem({ pk: `MESSAGE#${String(id).padStart(16, "0")}`, sk: "MESSAGE" });

test("expired messages are not served from that moment on, and are then removed with all of their data", async () => {
  const yorick = await aPerson("Yorick");
  const grave = await aChannel("grave", [yorick], { messageRetentionDays: 2 });
  const [old, young] = [
    await sendToChannel(yorick, grave, "jests", "old"),
    await sendToChannel(yorick, grave, "songs", "young"),
  ];
  await yorick.do("PATCH", `/messages/${old}`, { content: "older" });
  await backdateMessage(old, 2 * day + 60);
  await backdateMessage(young, 2 * day - 60);

  expect(await fetchMessage(yorick, old)).toBeUndefined();
  expect(await fetchTopic(yorick, grave, "jests")).toEqual([]);
  expect((await yorick.call("GET", `/messages/${old}/history`)).body.msg).toBe("Invalid message(s)");
  await scheduleNow("message-expiry-sweeps");

  await eventually(async () => (await item(old)) === undefined);
  await eventually(async () => (await listDetailKeys(old)).length === 0);
  expect(await item(young)).toBeDefined();
  const topics = await listTopics(grave.id);
  expect(topics.map(({ name }) => name)).toEqual(["songs"]);
});

test("messages of a channel with unlimited retention stay", async () => {
  const yorick = await aPerson("Yorick");
  const [grave, vault] = [
    await aChannel("grave", [yorick], { messageRetentionDays: 1 }),
    await aChannel("vault", [yorick], { messageRetentionDays: -1 }),
  ];
  const [gone, kept] = [await sendToChannel(yorick, grave, "x"), await sendToChannel(yorick, vault, "x")];
  await backdateMessage(gone, 400 * day);
  await backdateMessage(kept, 400 * day);

  await scheduleNow("message-expiry-sweeps");

  await eventually(async () => (await item(gone)) === undefined);
  expect((await fetchMessage(yorick, kept))?.id).toBe(kept);
});

test("expired direct messages are removed with their pointers, up to the first unexpired one", async () => {
  const [yorick, hamlet] = [await aPerson("Yorick"), await aPerson("Hamlet")];
  const id = await sendDirect(yorick, [hamlet], "jest");
  await backdateMessage(id, 10 * day);
  const since = Math.floor(Date.now() / 1000) - 5 * day;

  expect(await expireDirectMessagesInRange(id, id, since)).toBe(id + 1);

  expect(await item(id)).toBeUndefined();
  expect(await queryItems({ pk: `DMS#${hamlet.id}` })).toEqual([]);
  const kept = await sendDirect(yorick, [hamlet], "another");
  expect(await expireDirectMessagesInRange(kept, kept, since)).toBe(kept);
  expect(await item(kept)).toBeDefined();
});
