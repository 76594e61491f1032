import { beforeAll, expect, test } from "vitest";
import { aBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

let prospero: Person;
let admin: Person;
let stranger: Person;
beforeAll(async () => {
  [prospero, admin, stranger] = await Promise.all([
    aPerson("Prospero"),
    aPerson("Alonso", { role: "administrator" }),
    aPerson("Sebastian"),
  ]);
});

test.each([
  ["PATCH", ""],
  ["DELETE", ""],
  ["POST", "/api_key/regenerate"],
])("%s /bots/…%s can only be called by the owner and administrators, and only for bots", async (method, rest) => {
  const robot = await aBot(prospero);

  expect(await stranger.call(method, `/bots/${robot.id}${rest}`)).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "Insufficient permission" },
  });
  for (const id of [prospero.id, 99_999_999])
    expect(await admin.call(method, `/bots/${id}${rest}`)).toMatchObject({ status: 400, body: { msg: "No such bot" } });
});
