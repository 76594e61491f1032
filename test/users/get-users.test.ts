import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { withSettings } from "../support/organization.ts";
import { aBot } from "../support/people.ts";
import { aPerson, call, type Person } from "../support/world.ts";

let rosalind: Person;
let celia: Person;
beforeAll(async () => {
  [rosalind, celia] = await Promise.all([aPerson("Rosalind", { role: "administrator" }), aPerson("Celia")]);
});
const membersFor = async (by: Person, params: Record<string, unknown> = {}) =>
  (await by.call("GET", "/users", params)).body.members;

test("everyone is listed, bots and deactivated people among them", async () => {
  const [deactivated, robot] = [await aPerson("Adam"), await aBot(celia)];
  await rosalind.do("DELETE", `/users/${deactivated.id}`);

  const members = await membersFor(celia);

  const userOf = (id: number) => members.find(({ user_id }: any) => user_id === id);
  expect(userOf(rosalind.id)).toEqual({
    user_id: rosalind.id,
    email: rosalind.email,
    delivery_email: rosalind.email,
    full_name: "Rosalind",
    date_joined: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d\+00:00$/),
    is_active: true,
    is_owner: false,
    is_admin: true,
    is_guest: false,
    is_bot: false,
    role: 200,
    timezone: "",
    avatar_url: null,
    avatar_version: 1,
    presence_enabled: true,
  });
  expect(userOf(deactivated.id)).toMatchObject({ is_active: false });
  expect(userOf(robot.id)).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: celia.id });
});

test("only the requested users are listed, without unknown ones", async () => {
  const members = await membersFor(celia, { user_ids: [rosalind.id, 99_999_999, rosalind.id] });

  expect(members.map(({ user_id }: any) => user_id)).toEqual([rosalind.id]);
});

test("avatars are URLs for clients that do not compute gravatars", async () => {
  const [user] = await membersFor(celia, { user_ids: [rosalind.id], client_gravatar: false });

  const hash = createHash("md5").update(rosalind.email.toLowerCase()).digest("hex");
  expect(user.avatar_url).toBe(`https://secure.gravatar.com/avatar/${hash}?d=identicon&version=1`);
});

test("custom profile fields are returned on request, and only for people", async () => {
  const robot = await aBot(celia);

  const members = await membersFor(celia, { user_ids: [celia.id, robot.id], include_custom_profile_fields: true });

  expect(members[0].profile_data).toEqual({});
  expect(members[1]).not.toHaveProperty("profile_data");
});

test("spectators get all users without addresses, if they are allowed", async () => {
  await withSettings({ enable_spectator_access: true }, async () => {
    const { status, body } = await call("GET", "/users", { user_ids: [rosalind.id], client_gravatar: true });

    expect(status).toBe(200);
    expect(body.members).toMatchObject([
      {
        user_id: rosalind.id,
        full_name: "Rosalind",
        email: `user${rosalind.id}@skein.invalid`,
        delivery_email: null,
        avatar_url: expect.stringMatching(/^https:/),
      },
    ]);
  });
  expect(await call("GET", "/users")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

test("refuses invalid IDs, and requests without credentials", async () => {
  expect(await celia.call("GET", "/users", { user_ids: ["x"] })).toMatchObject({
    status: 400,
    body: { msg: "user_ids[0] is not an integer" },
  });
  expect(await call("GET", "/users")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});
