import { expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aPerson } from "../support/world.ts";

test("a poll without events ends with a heartbeat, whatever types it requested", { timeout: 60_000 }, async () => {
  const viola = await aPerson("Viola");
  const listener = await listen(viola, { event_types: ["alert_words"] });
  const started = Date.now();
  const ask = () => viola.call("GET", "/events", { queue_id: listener.queueId, last_event_id: listener.lastEventId });

  const { body } = await ask();

  expect(body.events).toEqual([{ type: "heartbeat", id: expect.any(Number) }]);
  expect(body.events[0].id).toBeGreaterThanOrEqual(0);
  expect(Date.now() - started).toBeGreaterThanOrEqual(20_000);
});
