import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { aboutChannel, listen } from "../support/listener.ts";
import { aGroup } from "../support/people.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The ten permissions of a channel: the values that each accepts, its initial value, and its events. */

/** The IDs of system groups. */
const [nobody, owners, administrators, moderators, everyone, internet] = [1, 2, 3, 4, 7, 8];
const defaults: Record<string, { value?: number; acceptsEveryone: boolean }> = {
  can_add_subscribers_group: { value: nobody, acceptsEveryone: false },
  can_administer_channel_group: { acceptsEveryone: false },
  can_delete_any_message_group: { value: nobody, acceptsEveryone: true },
  can_delete_own_message_group: { value: nobody, acceptsEveryone: true },
  can_move_messages_out_of_channel_group: { value: nobody, acceptsEveryone: true },
  can_move_messages_within_channel_group: { value: nobody, acceptsEveryone: true },
  can_remove_subscribers_group: { value: administrators, acceptsEveryone: true },
  can_resolve_topics_group: { value: nobody, acceptsEveryone: true },
  can_send_message_group: { value: everyone, acceptsEveryone: true },
  can_subscribe_group: { value: nobody, acceptsEveryone: false },
};
const names = Object.keys(defaults);

let admin: Person;
let puck: Person;
let deactivatedUser: Person;
let deactivatedGroupId: number;
beforeAll(async () => {
  [admin, puck, deactivatedUser] = await Promise.all([
    aPerson("Oberon", { role: "administrator" }),
    aPerson("Puck"),
    aPerson("Snout"),
  ]);
  deactivatedGroupId = await aGroup([], { deactivated: true });
  expect((await admin.call("DELETE", `/users/${deactivatedUser.id}`)).status).toBe(200);
});

const people = (...direct_members: number[]) => ({ direct_members, direct_subgroups: [] as number[] });
const recordOf = async (id: number) => (await admin.call("GET", `/streams/${id}`)).body.stream;
const idOf = async (stream: string) => (await admin.call("GET", "/get_stream_id", { stream })).body.stream_id;
const aName = () => `wood ${randomUUID().slice(0, 18)}`;

/** The two endpoints that create a channel. */
const creationEndpoints = {
  "POST /channels/create": async (params: object, name: string) =>
    admin.call("POST", "/channels/create", { name, subscribers: [], ...params }),
  "POST /users/me/subscriptions": async (params: object, name: string) =>
    admin.call("POST", "/users/me/subscriptions", { subscriptions: [{ name }], ...params }),
};

describe.each(Object.entries(creationEndpoints))("%s", (endpoint, create) => {
  test("gives a channel all defaults if the request sets nothing", async () => {
    const name = aName();

    expect((await create({}, name)).status).toBe(200);

    const id = await idOf(name);
    expect(await recordOf(id)).toEqual({
      stream_id: id,
      name,
      description: "",
      rendered_description: "",
      date_created: expect.any(Number),
      creator_id: admin.id,
      invite_only: false,
      is_web_public: false,
      history_public_to_subscribers: true,
      message_retention_days: null,
      first_message_id: expect.any(Number),
      folder_id: null,
      topics_policy: "inherit",
      is_recently_active: true,
      is_archived: false,
      is_announcement_only: false,
      stream_post_policy: 1,
      stream_weekly_traffic: null,
      subscriber_count: endpoint.includes("subscriptions") ? 1 : 0,
      ...Object.fromEntries(names.map((permission) => [permission, defaults[permission]?.value ?? people(admin.id)])),
    });
  });

  test.each(names)("accepts a group or people for %s, and omits deactivated people", async (permission) => {
    const values = [
      [people(puck.id, deactivatedUser.id, puck.id), people(puck.id)],
      [people(deactivatedUser.id), nobody],
      [{ direct_members: [], direct_subgroups: [moderators] }, moderators],
    ];
    await Promise.all(
      values.map(async ([sent, stored]) => {
        const name = aName();
        expect((await create({ [permission]: sent }, name)).body.msg).toBe("");
        expect((await recordOf(await idOf(name)))[permission]).toEqual(stored);
      }),
    );
  });

  test.each(names)("refuses an invalid %s, and creates no channel", async (permission) => {
    const name = aName();
    await Promise.all(
      invalidValues(permission).map(async ([value, msg]) =>
        expect(await create({ [permission]: value }, name)).toMatchObject(badRequest(msg)),
      ),
    );
    expect((await admin.call("GET", "/get_stream_id", { stream: name })).status).toBe(400);
  });
});

const badRequest = (msg: unknown) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });

const invalidValues = (permission: string): [value: unknown, msg: unknown][] => [
  [internet, `'${permission}' setting cannot be set to 'role:internet' group.`],
  ...(defaults[permission]?.acceptsEveryone
    ? []
    : [[everyone, `'${permission}' setting cannot be set to 'role:everyone' group.`] as [number, string]]),
  [99_999_999, "Invalid user group ID: 99999999"],
  [deactivatedGroupId, "User group is deactivated."],
  [{ direct_members: [puck.id], direct_subgroups: [deactivatedGroupId] }, "User group is deactivated."],
  [people(99_999_999), "Invalid user ID: 99999999"],
  ["moderators", expect.stringContaining(permission)],
  [{ direct_members: [puck.id] }, expect.stringContaining(permission)],
];

describe("PATCH /streams/{stream_id}", () => {
  test.each(names)(
    "changes %s given the expected old value, with an event for those who can see the channel",
    async (permission) => {
      const wood = await aChannel("wood", [admin, puck]);
      const before = (await recordOf(wood.id))[permission];
      const listener = await listen(puck, { event_types: ["stream"] }, aboutChannel(wood));
      const change = (update: object) => admin.call("PATCH", `/streams/${wood.id}`, { [permission]: update });

      expect(await change({ new: moderators, old: owners })).toMatchObject({
        status: 400,
        body: { result: "error", code: "EXPECTATION_MISMATCH" },
      });
      expect((await change({ new: moderators, old: before })).body).toEqual({ result: "success", msg: "" });
      expect((await recordOf(wood.id))[permission]).toBe(moderators);
      const event = { type: "stream", op: "update", stream_id: wood.id, name: wood.name, id: expect.any(Number) };
      expect(await listener.next("stream")).toEqual({ ...event, property: permission, value: moderators });
      expect((await change({ new: people(puck.id, deactivatedUser.id) })).status).toBe(200);
      expect((await recordOf(wood.id))[permission]).toEqual(people(puck.id));
    },
  );

  test.each(names)("refuses an invalid %s", async (permission) => {
    const wood = await aChannel("wood", [admin]);
    const before = (await recordOf(wood.id))[permission];

    await Promise.all(
      invalidValues(permission).map(async ([value, msg]) => {
        const reply = await admin.call("PATCH", `/streams/${wood.id}`, { [permission]: { new: value } });
        expect(reply).toMatchObject(badRequest(msg));
      }),
    );
    expect((await recordOf(wood.id))[permission]).toEqual(before);
  });
});
