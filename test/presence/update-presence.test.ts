import { beforeAll, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aPerson, costTest, type Person } from "../support/world.ts";

let beatrice: Person;
let benedick: Person;
beforeAll(async () => {
  [beatrice, benedick] = await Promise.all([aPerson("Beatrice"), aPerson("Benedick")]);
});

const ping = async (person: Person, params: Record<string, unknown> = {}) =>
  (await person.call("POST", "/users/me/presence", { status: "active", ...params })).body;
const nowSeconds = () => Date.now() / 1000;

test("a ping with last_update_id returns presences by user ID, and only those that have changed since", async () => {
  await ping(benedick);

  const first = await ping(beatrice, { last_update_id: -1 });
  const second = await ping(beatrice, { last_update_id: first.presence_last_update_id });
  const hero = await aPerson("Hero");
  await ping(hero, { status: "idle" });
  const third = await ping(beatrice, { last_update_id: second.presence_last_update_id });

  const { active_timestamp, idle_timestamp } = first.presences[benedick.id];
  expect(Math.abs(active_timestamp - nowSeconds())).toBeLessThan(60);
  expect(Math.abs(idle_timestamp - nowSeconds())).toBeLessThan(60);
  expect(first.presences).toHaveProperty(String(beatrice.id));
  expect(Math.abs(first.server_timestamp - nowSeconds())).toBeLessThan(60);
  expect(second.presences).not.toHaveProperty(String(benedick.id));
  expect(second.presence_last_update_id).toBeGreaterThanOrEqual(first.presence_last_update_id);
  expect(third.presences).toHaveProperty(String(hero.id));
  expect(third.presences).not.toHaveProperty(String(benedick.id));
});

test("a ping without last_update_id returns presences by address, or by user ID with slim_presence", async () => {
  await ping(benedick);

  const legacy = await ping(beatrice);
  const slim = await ping(beatrice, { slim_presence: true });

  expect(legacy.presences[benedick.email]).toEqual({
    aggregated: { client: "website", status: "active", timestamp: expect.any(Number) },
    website: { client: "website", status: "active", timestamp: expect.any(Number), pushable: false },
  });
  expect(slim.presences[benedick.id]).toEqual({
    active_timestamp: expect.any(Number),
    idle_timestamp: expect.any(Number),
  });
});

test("idle pings never update the active time", async () => {
  const ursula = await aPerson("Ursula");

  const { presences } = await ping(ursula, { status: "idle", slim_presence: true });

  expect(presences[ursula.id].active_timestamp).toBeLessThanOrEqual(presences[ursula.id].idle_timestamp);
  expect(await ping(ursula, { status: "away" })).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid status: away" });
});

test("ping_only returns no presence data", async () => {
  expect(await ping(beatrice, { ping_only: true })).toEqual({
    result: "success",
    msg: "",
    presence_last_update_id: -1,
    zephyr_mirror_active: false,
  });
  expect(await ping(beatrice, { ping_only: true, last_update_id: 17 })).toMatchObject({ presence_last_update_id: 17 });
});

costTest("a ping costs at most two write units, and a repeated one within a minute none", async () => {
  const verges = await aPerson("Verges");
  await ping(verges);
  const { presence_last_update_id: last_update_id } = await ping(verges, { last_update_id: -1 });
  const cost = async (status: string) =>
    (await verges.call("POST", "/users/me/presence", { status, last_update_id })).cost;

  expect(await cost("active")).toMatchObject({ writeUnits: 0 });
  expect((await cost("idle")).readUnits).toBeLessThanOrEqual(12);
  const dogberry = await aPerson("Dogberry");
  const first = await dogberry.call("POST", "/users/me/presence", { status: "idle", ping_only: true });
  expect(first.cost.writeUnits).toBeLessThanOrEqual(2);
});

test("a user who comes online causes a presence event in each client's form", async () => {
  const [don, hearer] = await Promise.all([aPerson("Don"), aPerson("Hearer")]);
  const [plain, slim, simple] = await Promise.all([
    listen(hearer, { event_types: ["presence"], fetch_event_types: [] }),
    listen(hearer, { event_types: ["presence"], fetch_event_types: [], slim_presence: true }),
    listen(hearer, {
      event_types: ["presence"],
      fetch_event_types: [],
      client_capabilities: { notification_settings_null: true, simplified_presence_events: true },
    }),
  ]);
  const eventAboutDon = async (listener: typeof plain) => {
    await listener.poll();
    return listener.received.find((event) => event.user_id === don.id || event.presences?.[don.id]);
  };

  await ping(don);
  await ping(don);

  const presence = { website: { client: "website", status: "active", timestamp: expect.any(Number), pushable: false } };
  const common = { type: "presence", id: expect.any(Number), user_id: don.id, server_timestamp: expect.any(Number) };
  const received = await eventAboutDon(plain);
  if (!received) return; // Large organizations have no such events, and the shared one may be large.
  expect(received).toEqual({ ...common, email: don.email, presence });
  expect(await eventAboutDon(slim)).toEqual({ ...common, presence });
  expect(await eventAboutDon(simple)).toEqual({
    type: "presence",
    id: expect.any(Number),
    presences: { [don.id]: { active_timestamp: expect.any(Number), idle_timestamp: expect.any(Number) } },
  });
});

test("a user who stops sharing presence is offline, and their pings change nothing", async () => {
  const [leonato, antonio] = await Promise.all([aPerson("Leonato"), aPerson("Antonio")]);
  const statusOf = async (person: Person) =>
    (await beatrice.call("GET", `/users/${person.id}/presence`)).body.presence.aggregated.status;
  for (const person of [leonato, antonio]) await ping(person);
  expect(await statusOf(leonato)).toBe("active");

  await leonato.do("PATCH", "/settings", { presence_enabled: false });
  await antonio.do("POST", "/users/me/status", { away: true });
  for (const person of [leonato, antonio]) await ping(person);

  expect(await statusOf(leonato)).toBe("offline");
  expect(await statusOf(antonio)).toBe("offline");
});
