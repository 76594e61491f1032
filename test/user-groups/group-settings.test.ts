import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aGroup } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

/** The six permissions of a user group: the values that each accepts, and its events. */

const [nobody, owners, moderators, members, everyone, internet] = [1, 2, 4, 6, 7, 8];
const names: Record<number, string> = { 2: "role:owners", 7: "role:everyone", 8: "role:internet" };
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
let gone: Person;
let deactivated: number;
beforeAll(async () => {
  const [admin, maker, away] = await Promise.all([
    aPerson("Theseus", { role: "administrator" }),
    aPerson("Quince"),
    aPerson("Gone"),
  ]);
  [quince, gone] = [maker, away];
  deactivated = await aGroup([], { deactivated: true });
  expect((await admin.call("DELETE", `/users/${gone.id}`)).status).toBe(200);
});

const people = (...direct_members: number[]) => ({ direct_members, direct_subgroups: [] as number[] });
const create = async (params: object = {}) =>
  quince.call("POST", "/user_groups/create", {
    name: `players ${randomUUID()}`,
    description: "",
    members: [],
    ...params,
  });
const madeGroup = async (): Promise<number> => (await create()).body.group_id;
const recordOf = async (id: number) =>
  (await quince.call("GET", "/user_groups")).body.user_groups.find((group: { id: number }) => group.id === id);

const refused = (setting: string, groups: readonly number[]): [value: unknown, msg: unknown][] => [
  ...groups.map((id): [number, string] => [id, `'${setting}' setting cannot be set to '${names[id]}' group.`]),
  [99_999_999, "Invalid user group ID: 99999999"],
  [deactivated, "User group is deactivated."],
  [{ direct_members: [], direct_subgroups: [deactivated] }, "User group is deactivated."],
  [people(99_999_999), "Invalid user ID: 99999999"],
  ["members", expect.stringContaining(setting)],
];
const badRequest = (msg: unknown) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });

test.each(settings)("%s is changed given the expected old value, with an event for everyone", async (setting) => {
  const id = await madeGroup();
  const before = (await recordOf(id))[setting];
  const change = (update: object) => quince.call("PATCH", `/user_groups/${id}`, { [setting]: update });
  const listener = await listen(quince, { event_types: ["user_group"] }, ({ group_id }) => group_id === id);
  const value = { direct_members: [quince.id], direct_subgroups: [moderators] };

  expect(await change({ new: members, old: people(gone.id) })).toMatchObject({
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
  const sent = { direct_members: [quince.id, gone.id], direct_subgroups: [moderators] };
  expect((await change({ new: sent, old: members })).status).toBe(200);
  expect((await recordOf(id))[setting]).toEqual(value);
  expect((await listener.next("user_group")).data).toEqual({ [setting]: value });
});

test.each(settings)('%s is created as sent, including "nobody"', async (setting) => {
  const { group_id } = (await create({ [setting]: people(gone.id) })).body;

  expect((await recordOf(group_id))[setting]).toBe(nobody);
});

test.each(settings)("%s refuses invalid values, in new and in existing groups", async (setting, groups) => {
  const id = await madeGroup();
  const before = await recordOf(id);

  await Promise.all(
    refused(setting, groups).flatMap(([value, msg]) => [
      create({ [setting]: value }).then((reply) => expect(reply).toMatchObject(badRequest(msg))),
      quince
        .call("PATCH", `/user_groups/${id}`, { [setting]: { new: value } })
        .then((reply) => expect(reply).toMatchObject(badRequest(msg))),
    ]),
  );
  expect(await recordOf(id)).toEqual(before);
});

test("requests about nonexistent groups and people are refused, and the error names those", async () => {
  const [id, other] = [await madeGroup(), await madeGroup()];
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
    ["POST", `/user_groups/${id}/subgroups`, { add: [deactivated] }, "User group is deactivated."],
    ["POST", `/user_groups/${id}/members`, { add: [gone.id] }, "User is deactivated"],
    ["POST", `/user_groups/${id}/members`, { add_subgroups: [unknown] }, `Invalid user group ID: ${unknown}`],
  ];

  for (const [method, path, params, msg] of refusals)
    expect([path, await quince.call(method, path, { ...params })]).toMatchObject([path, badRequest(msg)]);
});

test("by default queries about members and subgroups are recursive", async () => {
  const inner = (await create({ members: [quince.id] })).body.group_id;
  const outer = (await create({ subgroups: [inner] })).body.group_id;
  const ask = async (rest: string) => (await quince.call("GET", `/user_groups/${outer}/${rest}`)).body;

  expect(await ask("members")).toEqual({ result: "success", msg: "", members: [quince.id] });
  expect(await ask("subgroups")).toEqual({ result: "success", msg: "", subgroups: [inner] });
  expect(await ask(`members/${quince.id}`)).toEqual({ result: "success", msg: "", is_user_group_member: true });
});
