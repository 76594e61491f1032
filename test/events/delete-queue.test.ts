import { expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aPerson } from "../support/world.ts";

test("a deleted queue is gone", async () => {
  const toby = await aPerson("Toby");
  const { queueId: queue_id } = await listen(toby);

  expect((await toby.call("DELETE", "/events", { queue_id })).body).toEqual({ result: "success", msg: "" });

  const error = { result: "error", code: "BAD_EVENT_QUEUE_ID", msg: `Bad event queue ID: ${queue_id}`, queue_id };
  expect(await toby.call("DELETE", "/events", { queue_id })).toMatchObject({ status: 400, body: error });
  expect((await toby.call("GET", "/events", { queue_id, last_event_id: -1 })).body).toEqual(error);
});

test("nobody deletes another's queue", async () => {
  const [toby, maria] = await Promise.all([aPerson("Toby"), aPerson("Maria")]);
  const listener = await listen(toby, { event_types: ["message"] });

  const { body } = await maria.call("DELETE", "/events", { queue_id: listener.queueId });

  expect(body.code).toBe("BAD_EVENT_QUEUE_ID");
  expect(await listener.poll()).toEqual([]);
});
