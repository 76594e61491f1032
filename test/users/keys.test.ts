import { expect, test } from "vitest";
import { aBot } from "../support/people.ts";
import { aPerson, call } from "../support/world.ts";

test("a new key replaces the old one on the very next request", async () => {
  const ariel = await aPerson("Ariel");

  const { body } = await ariel.call("POST", "/users/me/api_key/regenerate");

  expect(body).toEqual({ result: "success", msg: "", api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/) });
  expect(body.api_key).not.toBe(ariel.apiKey);
  expect(await ariel.call("GET", "/users/me")).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED", msg: "Invalid API key" },
  });
  const fresh = { credentials: { email: ariel.email, apiKey: body.api_key } };
  expect((await call("GET", "/users/me", {}, fresh)).status).toBe(200);
});

test("a bot cannot replace its own key, and neither can a request without credentials", async () => {
  const robot = await aBot(await aPerson("Prospero"));

  expect(await robot.call("POST", "/users/me/api_key/regenerate")).toMatchObject({ status: 400 });
  expect(await call("POST", "/users/me/api_key/regenerate")).toMatchObject({ status: 401 });
});
