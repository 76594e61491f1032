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

  test("who comes wakes nobody, and is told with the next look", async () => {
    const queueId = await host.register({ event_types: ["presence"] }, owner);
    const both = await host.register({ event_types: ["presence", "message"] }, owner);

    await host.as(viola, "POST", "/users/me/presence", { status: "active", ping_only: true });
    // By when this message rings, whoever rings has seen what came before it.
    await host.as(viola, "POST", "/messages", { type: "direct", to: [await host.ownerId()], content: "here I am" });
    await expect.poll(() => host.rings(both)).toBe(1);

    expect(await host.rings(queueId)).toBe(0);
    const { body } = await host.step(`${host.url}/api/v1/events/${queueId}/-1/look`);
    expect(body.events).toMatchObject([{ type: "presence", email: viola }]);
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

  test("a guest who may not know everybody is rung for people who come into sight, of whom alone their client asks", async () => {
    const guest = "guest@globe.test";
    const password = "a long enough password";
    const { user_id } = await host.as(owner, "POST", "/users", { email: guest, full_name: "Guest", password });
    await host.as(owner, "PATCH", `/users/${user_id}`, { role: 600 });
    const { user_groups } = await host.as(owner, "GET", "/user_groups");
    const members = user_groups.find(({ name }: { name: string }) => name === "role:members").id;
    await host.as(owner, "PATCH", "/realm", { can_access_all_users_group: { new: members } });
    await host.subscribe("guests welcome", owner);
    await host.subscribe("guests welcome", guest, owner);
    await host.as(guest, "DELETE", "/users/me/subscriptions", { subscriptions: ["stage"] });
    const queueId = await host.register({ event_types: ["realm_user"] }, guest);
    const { user_id: violaId } = await host.as(viola, "GET", "/users/me");
    const { next } = await host.step(host.eventsOf(queueId), guest);

    const waiting = host.step(next, guest);
    const started = Date.now();
    await host.subscribe("guests welcome", viola);
    await waiting;

    expect(Date.now() - started).toBeLessThan(10_000);
    // Rings of before may have led here, too.
    await expect
      .poll(async () => (await host.step(host.eventsOf(queueId), guest)).body?.events)
      .toMatchObject([{ type: "realm_user", op: "add", person: { user_id: violaId } }]);
  });
});
