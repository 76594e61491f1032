import { expect, test } from "vitest";
import {
  administrators,
  everyone,
  members,
  moderators,
  nobody,
  owners,
} from "../../shared/base/schema/system-groups.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { recordLog } from "../support/channel-log.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const aGroup = async (person: Person, params: Record<string, unknown> = {}): Promise<number> => {
  const fields = { name: unique("players"), description: "", members: [], ...params };
  return (await person.call("POST", "/user_groups/create", fields)).body.group_id;
};
const change = (person: Person, id: number, params: Record<string, unknown>) =>
  person.call("POST", `/user_groups/${id}/members`, params);
const membersOf = async (person: Person, id: number, direct_member_only = true): Promise<number[]> =>
  (await person.call("GET", `/user_groups/${id}/members`, { direct_member_only })).body.members;

test("adding and removing members updates the group and the accounts, with events for everyone", async () => {
  const [quince, snout, flute] = [await aPerson("Quince"), await aPerson("Snout"), await aPerson("Flute")];
  const id = await aGroup(quince, { members: [snout.id], can_remove_members_group: members });
  const log = await recordLog();

  const changed = await change(quince, id, { add: [flute.id, quince.id], delete: [snout.id] });

  expect(changed.body).toEqual({ result: "success", msg: "" });
  expect(await membersOf(snout, id)).toEqual([quince.id, flute.id].sort((a, b) => a - b));
  expect((await findAccount(flute.email))?.groupIds?.has(id)).toBe(true);
  expect((await findAccount(snout.email))?.groupIds?.has(id) ?? false).toBe(false);
  const received = (await log.eventsFor(snout, ["user_group"])).filter(({ group_id }) => group_id === id);
  expect(received).toEqual([
    { type: "user_group", op: "add_members", group_id: id, user_ids: [flute.id, quince.id] },
    { type: "user_group", op: "remove_members", group_id: id, user_ids: [snout.id] },
  ]);
});

test("adding a member, removing a non-member and an empty request are errors without effect", async () => {
  const [quince, snout, flute] = [await aPerson("Quince"), await aPerson("Snout"), await aPerson("Flute")];
  const id = await aGroup(quince, { members: [snout.id] });
  const messageOf = async (params: Record<string, unknown>, group = id) =>
    (await change(quince, group, params)).body.msg;

  expect(await messageOf({ add: [flute.id, snout.id] })).toBe(`User ${snout.id} is already a member of this group`);
  expect(await messageOf({ add: [flute.id], delete: [flute.id] })).toBe(
    `There is no user '${flute.id}' in this user group`,
  );
  expect(await messageOf({ add: [99_999_999] })).toBe("Invalid user ID: 99999999");
  expect(await messageOf({})).toContain("Nothing to do");
  expect(await messageOf({ add: [flute.id] }, 99_999_999)).toBe("Invalid user group");
  expect(await messageOf({ add: [flute.id] }, moderators)).toBe("Insufficient permission");
  expect(await membersOf(quince, id)).toEqual([snout.id]);
});

test("joining, leaving, adding and removing each need the group's own permission", async () => {
  const [quince, snout, flute] = [await aPerson("Quince"), await aPerson("Snout"), await aPerson("Flute")];
  const closed = await aGroup(quince, { can_leave_group: nobody });
  const open = await aGroup(quince, {
    can_join_group: members,
    can_add_members_group: nobody,
    can_leave_group: everyone,
  });
  const statusOf = async (person: Person, id: number, params: Record<string, unknown>) =>
    (await change(person, id, params)).status;

  expect(await statusOf(snout, closed, { add: [snout.id] })).toBe(400);
  expect(await statusOf(snout, open, { add: [flute.id] })).toBe(400);
  expect(await statusOf(snout, open, { add: [snout.id] })).toBe(200);
  expect(await statusOf(snout, open, { delete: [snout.id] })).toBe(200);
  expect(await statusOf(quince, closed, { add: [snout.id] })).toBe(200);
  expect(await statusOf(snout, closed, { delete: [snout.id] })).toBe(400);
  expect(await statusOf(quince, closed, { delete: [snout.id] })).toBe(200);
});

test("of several concurrent additions of one person, one succeeds and the others return 400", async () => {
  const [quince, snout] = [await aPerson("Quince"), await aPerson("Snout")];
  const id = await aGroup(quince);

  const replies = await Promise.all([1, 2, 3].map(() => change(quince, id, { add: [snout.id] })));

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  expect(await membersOf(quince, id)).toEqual([snout.id]);
});

test("members of subgroups are members of the group, and a cycle of subgroups is refused", async () => {
  const [quince, snout, moderator] = [
    await aPerson("Quince"),
    await aPerson("Snout"),
    await aPerson("Egeus", { role: "moderator" }),
  ];
  const [inner, middle, outer] = [
    await aGroup(quince, { members: [snout.id] }),
    await aGroup(quince),
    await aGroup(quince),
  ];
  const log = await recordLog();
  const changeSubgroups = (group: number, params: Record<string, unknown>) =>
    quince.call("POST", `/user_groups/${group}/subgroups`, params);

  expect((await changeSubgroups(middle, { add: [inner, moderators] })).body).toEqual({ result: "success", msg: "" });
  expect((await change(quince, outer, { add_subgroups: [middle] })).status).toBe(200);

  const subgroups = async (direct_subgroup_only: boolean) =>
    (await snout.call("GET", `/user_groups/${outer}/subgroups`, { direct_subgroup_only })).body.subgroups;
  expect(await subgroups(true)).toEqual([middle]);
  expect(await subgroups(false)).toEqual(expect.arrayContaining([middle, inner, moderators, administrators, owners]));
  expect(await membersOf(quince, outer)).toEqual([]);
  expect(await membersOf(quince, outer, false)).toEqual(expect.arrayContaining([snout.id, moderator.id]));
  const isMember = async (user: Person, direct_member_only: boolean, group = outer) =>
    (await quince.call("GET", `/user_groups/${group}/members/${user.id}`, { direct_member_only })).body
      .is_user_group_member;
  expect([await isMember(snout, false), await isMember(snout, true), await isMember(snout, true, inner)]).toEqual([
    true,
    false,
    true,
  ]);
  expect([await isMember(moderator, false), await isMember(quince, false)]).toEqual([true, false]);
  const event = { type: "user_group", op: "add_subgroups", group_id: outer, direct_subgroup_ids: [middle] };
  expect((await log.eventsFor(snout, ["user_group"])).filter(({ group_id }) => group_id === outer)).toEqual([event]);

  expect((await changeSubgroups(inner, { add: [outer] })).body.msg).toBe(
    `User group ${inner} is already a subgroup of one of the passed subgroups.`,
  );
  expect((await changeSubgroups(inner, { add: [inner] })).status).toBe(400);
  expect((await changeSubgroups(outer, { add: [middle] })).body.msg).toBe(
    `User group ${middle} is already a subgroup of this group.`,
  );
  expect((await changeSubgroups(outer, { delete: [inner] })).body.msg).toBe(
    `User group ${inner} is not a subgroup of this group.`,
  );
  expect((await changeSubgroups(outer, { delete: [middle] })).status).toBe(200);
  expect(await subgroups(false)).toEqual([]);
  expect((await quince.call("GET", "/user_groups/99999999/members")).body.msg).toBe("Invalid user group");
});

test("of two groups that are concurrently added to each other, only one is added", async () => {
  const quince = await aPerson("Quince");
  const [one, two] = [await aGroup(quince), await aGroup(quince)];

  const replies = await Promise.all([
    quince.call("POST", `/user_groups/${one}/subgroups`, { add: [two] }),
    quince.call("POST", `/user_groups/${two}/subgroups`, { add: [one] }),
  ]);

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test("a permission given to a group applies to members, also of subgroups, from the next request on", async () => {
  const [quince, snout] = [await aPerson("Quince"), await aPerson("Snout")];
  const inner = await aGroup(quince);
  const outer = await aGroup(quince, { subgroups: [inner] });
  const stage = await aChannel("stage", [snout], { permissions: { can_send_message_group: outer } });
  const send = async () =>
    (await snout.call("POST", "/messages", { type: "channel", to: stage.id, topic: "t", content: "x" })).status;

  expect(await send()).toBe(400);
  await change(quince, inner, { add: [snout.id] });
  expect(await send()).toBe(200);
  await quince.do("POST", `/user_groups/${outer}/subgroups`, { delete: [inner] });
  expect(await send()).toBe(400);
});
