import { beforeAll, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

let prospero: Person;
beforeAll(async () => {
  prospero = await aPerson("Prospero");
});

test("a deactivated bot's next request fails, and an event marks it as inactive", async () => {
  const robot = await aBot(prospero);
  const listener = await listen(prospero, { event_types: ["realm_bot"] });

  expect((await prospero.call("DELETE", `/bots/${robot.id}`)).body).toEqual({ result: "success", msg: "" });

  expect(await robot.call("GET", "/users/me")).toMatchObject({ status: 401, body: { msg: "Account is deactivated" } });
  expect(await listener.next("realm_bot")).toMatchObject({
    op: "update",
    bot: { user_id: robot.id, is_active: false },
  });
  expect(await prospero.call("DELETE", `/bots/${robot.id}`)).toMatchObject({ body: { msg: "User is deactivated" } });
});
