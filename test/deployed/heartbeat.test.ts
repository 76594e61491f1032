import { expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aPerson } from "../support/world.ts";

/** How long the server holds a poll at least. No gateway or timeout of a function may end it before. */
const minPollMs = 20_000;

test("a poll without events ends with a heartbeat, though the queue requested only alert words", {
  timeout: 60_000,
}, async () => {
  const viola = await aPerson("Viola");
  const listener = await listen(viola, { event_types: ["alert_words"] });
  const startedMs = Date.now();
  const poll = () => viola.call("GET", "/events", { queue_id: listener.queueId, last_event_id: listener.lastEventId });

  const { body } = await poll();

  expect(body.events).toEqual([{ type: "heartbeat", id: expect.any(Number) }]);
  expect(body.events[0].id).toBeGreaterThanOrEqual(0);
  expect(Date.now() - startedMs).toBeGreaterThanOrEqual(minPollMs);
});
