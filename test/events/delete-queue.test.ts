import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { knownConnection } from "../support/accounts.ts";
import { listen } from "../support/listener.ts";
import { sendDirect } from "../support/messages.ts";
import { aPerson } from "../support/world.ts";

test("polling or deleting a deleted queue returns BAD_EVENT_QUEUE_ID", async () => {
  const toby = await aPerson("Toby");
  const { queueId: queue_id } = await listen(toby);

  expect((await toby.call("DELETE", "/events", { queue_id })).body).toEqual({ result: "success", msg: "" });

  const error = { result: "error", code: "BAD_EVENT_QUEUE_ID", msg: `Bad event queue ID: ${queue_id}`, queue_id };
  expect(await toby.call("DELETE", "/events", { queue_id })).toMatchObject({ status: 400, body: error });
  expect((await toby.call("GET", "/events", { queue_id, last_event_id: -1 })).body).toEqual(error);
});

test("a queue cannot be deleted by another user", async () => {
  const [toby, maria] = await Promise.all([aPerson("Toby"), aPerson("Maria")]);
  const listener = await listen(toby, { event_types: ["message"] });

  const { body } = await maria.call("DELETE", "/events", { queue_id: listener.queueId });

  expect(body.code).toBe("BAD_EVENT_QUEUE_ID");
  expect(await listener.poll()).toEqual([]);
});

test("when a user opens a fifty-first queue, the least recently used one is deleted, and its connection gets nothing", async () => {
  const sebastian = await aPerson("Sebastian");
  const { connection, queue } = await knownConnection(sebastian);
  const open = async () => (await sebastian.call("POST", "/register", { event_types: [] })).body.queue_id as string;
  const poll = (queue_id: string) =>
    sebastian.call("GET", "/events", { queue_id, last_event_id: -1, dont_block: true });
  const first = queue.queue_id;
  // The time of last use is stored in whole seconds.
  await setTimeout(1100);
  for (let opened = 1; opened < 50; opened++) await open();
  expect((await poll(first)).status).toBe(200);

  const last = await open();

  expect(await poll(first)).toMatchObject({ status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } });
  expect((await poll(last)).status).toBe(200);
  await sendDirect(sebastian, [sebastian], "after");
  connection.acknowledge();
  await expect.poll(() => connection.closeCode).toBeDefined();
  expect(connection.events).toHaveLength(1);
});
