import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { everyone, internet, members, moderators, nobody, owners } from "../../shared/base/schema/system-groups.ts";
import { listen } from "../support/listener.ts";
import { aGroup } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

/** The six permissions of a user group: the values that each accepts, and its events. */

const names: Record<number, string> = {
  [owners]: "role:owners",
  [everyone]: "role:everyone",
  [internet]: "role:internet",
};
/** The system groups that each setting refuses. */
const forbidden = {
  can_add_members_group: [everyone, internet],
  can_join_group: [everyone, internet],
  can_leave_group: [internet],
  can_manage_group: [everyone, internet],
  can_mention_group: [owners, internet],
  can_remove_members_group: [everyone, internet],
};
const settings = Object.entries(forbidden);

let quince: Person;
let deactivatedUser: Person;
let deactivatedGroupId: number;
beforeAll(async () => {
  const [admin, creator, user] = await Promise.all([
    aPerson("Theseus", { role: "administrator" }),
    aPerson("Quince"),
    aPerson("Gone"),
  ]);
  [quince, deactivatedUser] = [creator, user];
  deactivatedGroupId = await aGroup([], { deactivated: true });
  expect((await admin.call("DELETE", `/users/${deactivatedUser.id}`)).status).toBe(200);
});

const people = (...direct_members: number[]) => ({ direct_members, direct_subgroups: [] as number[] });
const create = async (params: object = {}) =>
  quince.call("POST", "/user_groups/create", {
    name: `players ${randomUUID()}`,
    description: "",
    members: [],
    ...params,
  });
const createGroup = async (): Promise<number> => (await create()).body.group_id;
const recordOf = async (id: number) =>
  (await quince.call("GET", "/user_groups")).body.user_groups.find((group: { id: number }) => group.id === id);

/** Values that a setting refuses, with the errors. */
const refusedValues = (setting: string, groups: readonly number[]): [value: unknown, msg: unknown][] => [
  ...groups.map((id): [number, string] => [id, `'${setting}' setting cannot be set to '${names[id]}' group.`]),
  [99_999_999, "Invalid user group ID: 99999999"],
  [deactivatedGroupId, "User group is deactivated."],
  [{ direct_members: [], direct_subgroups: [deactivatedGroupId] }, "User group is deactivated."],
  [people(99_999_999), "Invalid user ID: 99999999"],
  ["members", expect.stringContaining(setting)],
];
const badRequest = (msg: unknown) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });

test.each(settings)("%s is changed given the expected old value, with an event for everyone", async (setting) => {
  const id = await createGroup();
  const before = (await recordOf(id))[setting];
  const change = (update: object) => quince.call("PATCH", `/user_groups/${id}`, { [setting]: update });
  const listener = await listen(quince, { event_types: ["user_group"] }, ({ group_id }) => group_id === id);
  const storedValue = { direct_members: [quince.id], direct_subgroups: [moderators] };

  expect(await change({ new: members, old: people(deactivatedUser.id) })).toMatchObject({
    status: 400,
    body: { code: "EXPECTATION_MISMATCH" },
  });
  expect((await change({ new: members, old: before })).body).toEqual({ result: "success", msg: "" });
  expect(await listener.next("user_group")).toEqual({
    type: "user_group",
    op: "update",
    id: expect.any(Number),
    group_id: id,
    data: { [setting]: members },
  });
  // Deactivated users are removed, and the rest is stored as sent.
  const sent = { direct_members: [quince.id, deactivatedUser.id], direct_subgroups: [moderators] };
  expect((await change({ new: sent, old: members })).status).toBe(200);
  expect((await recordOf(id))[setting]).toEqual(storedValue);
  expect((await listener.next("user_group")).data).toEqual({ [setting]: storedValue });
});

test.each(settings)(
  '%s is "nobody" in a new group if the request gives it only to a deactivated user',
  async (setting) => {
    const { group_id } = (await create({ [setting]: people(deactivatedUser.id) })).body;

    expect((await recordOf(group_id))[setting]).toBe(nobody);
  },
);

test.each(settings)("%s refuses invalid values, in new and in existing groups", async (setting, groups) => {
  const id = await createGroup();
  const before = await recordOf(id);

  await Promise.all(
    refusedValues(setting, groups).flatMap(([value, msg]) => [
      create({ [setting]: value }).then((reply) => expect(reply).toMatchObject(badRequest(msg))),
      quince
        .call("PATCH", `/user_groups/${id}`, { [setting]: { new: value } })
        .then((reply) => expect(reply).toMatchObject(badRequest(msg))),
    ]),
  );
  expect(await recordOf(id)).toEqual(before);
});

test("requests with nonexistent or deactivated groups and users are refused", async () => {
  const [id, other] = [await createGroup(), await createGroup()];
  const unknown = 99_999_999;
  const refusals: [method: string, path: string, params: object, msg: string][] = [
    ["GET", `/user_groups/${unknown}/members`, {}, "Invalid user group"],
    ["GET", `/user_groups/${unknown}/subgroups`, {}, "Invalid user group"],
    ["GET", `/user_groups/${unknown}/members/${quince.id}`, {}, "Invalid user group"],
    ["GET", `/user_groups/${id}/members/${unknown}`, {}, "Invalid user ID"],
    ["POST", `/user_groups/${unknown}/members`, { add: [quince.id] }, "Invalid user group"],
    ["POST", `/user_groups/${unknown}/subgroups`, { add: [id] }, "Invalid user group"],
    ["POST", `/user_groups/${unknown}/deactivate`, {}, "Invalid user group"],
    ["PATCH", `/user_groups/${unknown}`, { deactivated: false }, "Invalid user group"],
    ["POST", `/user_groups/${id}/subgroups`, { add: [unknown] }, `Invalid user group ID: ${unknown}`],
    [
      "POST",
      `/user_groups/${id}/subgroups`,
      { delete: [other] },
      `User group ${other} is not a subgroup of this group.`,
    ],
    ["POST", `/user_groups/${id}/subgroups`, { add: [deactivatedGroupId] }, "User group is deactivated."],
    ["POST", `/user_groups/${id}/members`, { add: [deactivatedUser.id] }, "User is deactivated"],
    ["POST", `/user_groups/${id}/members`, { add_subgroups: [unknown] }, `Invalid user group ID: ${unknown}`],
  ];

  for (const [method, path, params, msg] of refusals)
    expect([path, await quince.call(method, path, { ...params })]).toMatchObject([path, badRequest(msg)]);
});

test("by default queries about members and subgroups are recursive", async () => {
  const inner = (await create({ members: [quince.id] })).body.group_id;
  const outer = (await create({ subgroups: [inner] })).body.group_id;
  const query = async (rest: string) => (await quince.call("GET", `/user_groups/${outer}/${rest}`)).body;

  expect(await query("members")).toEqual({ result: "success", msg: "", members: [quince.id] });
  expect(await query("subgroups")).toEqual({ result: "success", msg: "", subgroups: [inner] });
  expect(await query(`members/${quince.id}`)).toEqual({ result: "success", msg: "", is_user_group_member: true });
});
