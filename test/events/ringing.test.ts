import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aHostWithBells, type HostWithBells, owner, viola } from "../support/bells.ts";
import { isLocal } from "../support/world.ts";

/** Whose bells ring, for what. */

describe.skipIf(!isLocal())("ringing bells (on the local host alone: MiniStack has no such integration)", () => {
  let host: HostWithBells;
  beforeAll(async () => {
    host = await aHostWithBells();
  });
  afterAll(() => host?.stop());

  test("bells ring for those alone whom an event may concern, by audience, channel and type", async () => {
    await host.subscribe("ringing", viola);
    const [mine, others, aboutPresence] = await Promise.all([
      host.register({}, viola),
      host.register({}, owner),
      host.register({ event_types: ["presence"] }, viola),
    ]);

    await host.as(viola, "POST", "/messages", { type: "channel", to: "ringing", topic: "t", content: "hear" });
    await expect.poll(() => host.rings(mine)).toBe(1);

    expect(await host.rings(others)).toBe(0);
    expect(await host.rings(aboutPresence)).toBe(0);
  });

  test("a channel that was joined since rings as soon as its joining has been heard of", async () => {
    await host.subscribe("joined later", viola);
    const queueId = await host.register({ event_types: ["message", "subscription"] }, owner);
    await host.subscribe("joined later", owner);
    const { body } = await host.step(host.eventsOf(queueId));
    const last = body.events.at(-1).id;
    expect(body.events).toMatchObject([{ type: "subscription", op: "add" }]);
    const { next } = await host.step(host.eventsOf(queueId, last));

    const waiting = host.step(next);
    await host.as(viola, "POST", "/messages", { type: "channel", to: "joined later", topic: "t", content: "welcome" });
    const started = Date.now();
    await waiting;

    expect(Date.now() - started).toBeLessThan(10_000);
    // Rings of before may have led here: what counts is that the client is told.
    await expect
      .poll(async () =>
        (await host.step(host.eventsOf(queueId, last))).body?.events?.map(({ message }: any) => message?.content),
      )
      .toContain("welcome");
  });
});
