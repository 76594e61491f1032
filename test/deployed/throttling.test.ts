import { afterAll, beforeAll, expect, test } from "vitest";
import { type ThrottledTable, throttledTableOf } from "../support/hosts/throttled-function.ts";
import { fetchTopic } from "../support/messages.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** What test/faults/throttling.test.ts shows in a process, over the network: the SDK's own retries included. */

let table: ThrottledTable;
let portia: Person;
let queueId: string;
beforeAll(async () => {
  portia = await aPerson("Portia");
  queueId = (await portia.do("POST", "/register", { event_types: ["message"], fetch_event_types: [] })).queue_id;
  table = await throttledTableOf("messages/send-message");
});
afterAll(() => table?.stop());

test("while the table refuses each call in turn and all after it, a message is refused with 503; repeated, it is sent once", {
  timeout: 600_000,
}, async () => {
  const channel = await aChannel("rialto", [portia]);
  let refused = 0;
  for (let nth = 1, reached = true; reached; nth++) {
    const topic = unique("bond");
    const place = { type: "channel", to: channel.id, topic, queue_id: queueId, local_id: topic };
    const message = { ...place, content: "The quality of mercy" };
    const endThrottling = table.throttleFrom(nth);
    const reply = await portia.call("POST", "/messages", message);
    reached = endThrottling();
    if (!reached) expect(reply.status).toBe(200);
    if (reply.status !== 200) {
      refused++;
      expect(reply.status).toBe(503);
      expect(reply.headers["retry-after"]).toMatch(/^[1-3]$/);
      expect(["SERVICE_UNAVAILABLE", "REQUEST_TIMED_OUT"]).toContain(reply.body.code);
    }
    const again = await portia.call("POST", "/messages", message);
    expect(again).toMatchObject({ status: 200, body: { result: "success" } });
    expect(await fetchTopic(portia, channel, topic)).toHaveLength(1);
    expect(nth).toBeLessThan(40);
  }
  expect(refused).toBeGreaterThan(0);
});
