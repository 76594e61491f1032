import { beforeAll, expect, test } from "vitest";
import { roles } from "../../shared/base/schema/roles.ts";
import { aBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

let owner: Person;
let prospero: Person;
let admin: Person;
let stranger: Person;
beforeAll(async () => {
  [owner, prospero, admin, stranger] = await Promise.all([
    aPerson("Antonio", { role: "owner" }),
    aPerson("Prospero"),
    aPerson("Alonso", { role: "administrator" }),
    aPerson("Sebastian"),
  ]);
});

const endpoints = [
  ["PATCH", ""],
  ["DELETE", ""],
  ["GET", "/api_key"],
  ["POST", "/api_key/regenerate"],
  ["POST", "/template_preview"],
] as const;

test.each(endpoints)(
  "%s /bots/…%s can only be called by the owner and administrators, and only for bots",
  async (method, suffix) => {
    const robot = await aBot(prospero);

    expect(await stranger.call(method, `/bots/${robot.id}${suffix}`)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "Insufficient permission" },
    });
    for (const id of [prospero.id, 99_999_999])
      expect(await admin.call(method, `/bots/${id}${suffix}`)).toMatchObject({
        status: 400,
        body: { msg: "No such bot" },
      });
  },
);

test.each(endpoints)(
  "%s /bots/…%s of another user's bot that has the owner role can only be called by owners",
  async (method, suffix) => {
    const robot = await aBot(owner);
    await owner.do("PATCH", `/users/${robot.id}`, { role: roles.owner });

    expect(await admin.call(method, `/bots/${robot.id}${suffix}`)).toMatchObject({
      status: 400,
      body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" },
    });
    await owner.do(method, `/bots/${robot.id}${suffix}`);
  },
);
