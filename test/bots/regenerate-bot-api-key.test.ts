import { beforeAll, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aBot } from "../support/people.ts";
import { aPerson, call, type Person } from "../support/world.ts";

let prospero: Person;
beforeAll(async () => {
  prospero = await aPerson("Prospero");
});

test("a bot's new key replaces the old one, with an event for its owner", async () => {
  const robot = await aBot(prospero);
  const listener = await listen(prospero, { event_types: ["realm_bot"] });

  expect(await prospero.do("GET", `/bots/${robot.id}/api_key`)).toMatchObject({ api_key: robot.apiKey });
  const { api_key } = (await prospero.call("POST", `/bots/${robot.id}/api_key/regenerate`)).body;

  expect((await robot.call("GET", "/users/me")).status).toBe(401);
  const withNewKey = { credentials: { email: robot.email, apiKey: api_key } };
  expect((await call("GET", "/users/me", {}, withNewKey)).status).toBe(200);
  const { id: _, ...event } = await listener.next("realm_bot");
  expect(event).toEqual({ type: "realm_bot", op: "update", bot: { user_id: robot.id, api_key } });
  expect(await prospero.do("GET", `/bots/${robot.id}/api_key`)).toMatchObject({ api_key });
});
