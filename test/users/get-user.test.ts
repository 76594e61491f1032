import { beforeAll, describe, expect, test } from "vitest";
import { aBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

let orlando: Person;
let oliver: Person;
beforeAll(async () => {
  [orlando, oliver] = await Promise.all([aPerson("Orlando"), aPerson("Oliver")]);
});

test("a user is found by ID and by address, ignoring case", async () => {
  for (const idOrEmail of [oliver.id, oliver.email, oliver.email.toUpperCase()]) {
    const { body } = await orlando.call("GET", `/users/${idOrEmail}`);

    expect(body.user).toMatchObject({ user_id: oliver.id, full_name: "Oliver", avatar_url: null });
  }
});

test("a bot and a deactivated user are found too", async () => {
  const [robot, admin] = [await aBot(orlando), await aPerson("Duke", { role: "administrator" })];
  await admin.do("DELETE", `/bots/${robot.id}`);

  const { user } = (await orlando.call("GET", `/users/${robot.id}`, { client_gravatar: false })).body;

  expect(user).toMatchObject({ is_bot: true, is_active: false, avatar_url: expect.stringContaining("gravatar.com") });
});

test("custom profile fields are returned on request", async () => {
  const { user } = (await orlando.call("GET", `/users/${oliver.id}`, { include_custom_profile_fields: true })).body;

  expect(user.profile_data).toEqual({});
});

test.each(["99999999", "nobody-at-all@globe.test", "x", "user99999999@skein.invalid"])(
  "the unknown user %s is not found",
  async (idOrEmail) => {
    expect(await orlando.call("GET", `/users/${idOrEmail}`)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "No such user" },
    });
  },
);

describe("an address that is not for everyone", () => {
  const people: Record<string, Person> = {};
  beforeAll(async () => {
    for (const role of ["owner", "administrator", "moderator", "member", "guest"] as const)
      people[role] = await aPerson(`Reader ${role}`, { role });
  });

  test.each([
    [1, ["owner", "administrator", "moderator", "member", "guest"]],
    [2, ["owner", "administrator", "moderator", "member"]],
    [5, ["owner", "administrator", "moderator"]],
    [3, ["owner", "administrator"]],
    [4, []],
  ])("with visibility %i is seen by %j", async (email_address_visibility, allowedRoles) => {
    const hidden = await aPerson("Ganymede");
    await hidden.do("PATCH", "/settings", { email_address_visibility });

    for (const [role, reader] of Object.entries(people)) {
      const { user } = (await reader.call("GET", `/users/${hidden.id}`)).body;
      const isVisible = (allowedRoles as string[]).includes(role);
      expect(user.delivery_email).toBe(isVisible ? hidden.email : null);
      expect(user.email).toBe(email_address_visibility === 1 ? hidden.email : `user${hidden.id}@skein.invalid`);
      // Users who cannot compute the gravatar get the avatar's URL.
      expect(user.avatar_url === null).toBe(isVisible);
      const byAddress = await reader.call("GET", `/users/${hidden.email}`);
      expect(byAddress.status).toBe(isVisible ? 200 : 400);
      expect((await reader.call("GET", `/users/user${hidden.id}@skein.invalid`)).body.user.user_id).toBe(hidden.id);
    }
    expect((await hidden.call("GET", "/users/me")).body.delivery_email).toBe(hidden.email);
  });
});
