import { expect, test } from "vitest";
import { listTopics } from "../../../shared/core/channels/topics.ts";
import { expireDirectMessagesInRange } from "../../../shared/messaging/messages/edit/expiry.ts";
import { listDetailKeys } from "../../../shared/store/messages/messages.ts";
import { getItem, queryItems } from "../../../shared/store/table/reads.ts";
import { fetchMessage, fetchTopic, sendDirect, sendToChannel } from "../../support/messages.ts";
import { backdateMessage } from "../../support/table/aging.ts";
import { scheduleNow } from "../../support/table/recurring.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson } from "../../support/world.ts";

const daySeconds = 86_400;
const findItem = (id: number) => getItem({ pk: `MESSAGE#${String(id).padStart(16, "0")}`, sk: "MESSAGE" });

test("expired messages are not served from that moment on, and are then removed with all of their data", async () => {
  const yorick = await aPerson("Yorick");
  const grave = await aChannel("grave", [yorick], { messageRetentionDays: 2 });
  const [expiredId, youngId] = [
    await sendToChannel(yorick, grave, "jests", "old"),
    await sendToChannel(yorick, grave, "songs", "young"),
  ];
  await yorick.do("PATCH", `/messages/${expiredId}`, { content: "older" });
  await backdateMessage(expiredId, 2 * daySeconds + 60);
  await backdateMessage(youngId, 2 * daySeconds - 60);

  expect(await fetchMessage(yorick, expiredId)).toBeUndefined();
  expect(await fetchTopic(yorick, grave, "jests")).toEqual([]);
  expect((await yorick.call("GET", `/messages/${expiredId}/history`)).body.msg).toBe("Invalid message(s)");
  await scheduleNow("message-expiry-sweeps");

  await eventually(async () => (await findItem(expiredId)) === undefined);
  await eventually(async () => (await listDetailKeys(expiredId)).length === 0);
  expect(await findItem(youngId)).toBeDefined();
  const topics = await listTopics(grave.id);
  expect(topics.map(({ name }) => name)).toEqual(["songs"]);
});

test("messages of a channel with unlimited retention stay", async () => {
  const yorick = await aPerson("Yorick");
  const [grave, vault] = [
    await aChannel("grave", [yorick], { messageRetentionDays: 1 }),
    await aChannel("vault", [yorick], { messageRetentionDays: -1 }),
  ];
  const [expiredId, keptId] = [await sendToChannel(yorick, grave, "x"), await sendToChannel(yorick, vault, "x")];
  await backdateMessage(expiredId, 400 * daySeconds);
  await backdateMessage(keptId, 400 * daySeconds);

  await scheduleNow("message-expiry-sweeps");

  await eventually(async () => (await findItem(expiredId)) === undefined);
  expect((await fetchMessage(yorick, keptId))?.id).toBe(keptId);
});

test("expired direct messages are removed with their pointers, up to the first unexpired one", async () => {
  const [yorick, hamlet] = [await aPerson("Yorick"), await aPerson("Hamlet")];
  const id = await sendDirect(yorick, [hamlet], "jest");
  await backdateMessage(id, 10 * daySeconds);
  const cutoff = Math.floor(Date.now() / 1000) - 5 * daySeconds;

  expect(await expireDirectMessagesInRange(id, id, cutoff)).toBe(id + 1);

  expect(await findItem(id)).toBeUndefined();
  expect(await queryItems({ pk: `DMS#${hamlet.id}` })).toEqual([]);
  const unexpiredId = await sendDirect(yorick, [hamlet], "another");
  expect(await expireDirectMessagesInRange(unexpiredId, unexpiredId, cutoff)).toBe(unexpiredId);
  expect(await findItem(unexpiredId)).toBeDefined();
});
