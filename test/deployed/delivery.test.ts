import { expect, test } from "vitest";
import { soon } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

test("EventBridge Scheduler, its role, the queue and the worker deliver a scheduled message", async () => {
  const [iago, emilia] = [await aPerson("Iago"), await aPerson("Emilia")];
  const venice = await aChannel("venice", [iago, emilia]);

  const scheduled = await iago.call("POST", "/scheduled_messages", {
    type: "channel",
    to: venice.id,
    topic: "plots",
    content: "The hour is come.",
    scheduled_delivery_timestamp: soon(),
  });

  expect(scheduled).toMatchObject({ status: 200 });
  await expect
    .poll(
      async () => {
        const narrow = [{ operator: "channel", operand: venice.id }];
        const { body } = await emilia.call("GET", "/messages", {
          anchor: "newest",
          num_before: 9,
          num_after: 0,
          narrow,
        });
        return body.messages.map(({ content }: { content: string }) => content);
      },
      { timeout: 60_000, interval: 1000 },
    )
    .toEqual(["<p>The hour is come.</p>"]);
});
