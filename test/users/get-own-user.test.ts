import { expect, test } from "vitest";
import { aBot } from "../support/people.ts";
import { aPerson } from "../support/world.ts";

test("the own user has an avatar and the newest message's ID", async () => {
  const viola = await aPerson("Viola", { role: "guest" });

  const { body } = await viola.call("GET", "/users/me");

  expect(body).toMatchObject({
    user_id: viola.id,
    email: viola.email,
    delivery_email: viola.email,
    full_name: "Viola",
    is_guest: true,
    role: 600,
    avatar_url: expect.stringContaining("https://secure.gravatar.com/avatar/"),
    max_message_id: expect.any(Number),
    profile_data: {},
  });
});

test("a bot gets its own user", async () => {
  const robot = await aBot(await aPerson("Viola"));

  expect((await robot.call("GET", "/users/me")).body).toMatchObject({ user_id: robot.id, is_bot: true, bot_type: 1 });
});
