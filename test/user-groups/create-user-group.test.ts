import { expect, test } from "vitest";
import { everyone, members, moderators, nobody } from "../../shared/base/schema/system-groups.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { recordLog } from "../support/channel-log.ts";
import { unique } from "../support/unique.ts";
import { aPerson, type Person } from "../support/world.ts";

const create = (person: Person, params: Record<string, unknown> = {}) =>
  person.call("POST", "/user_groups/create", { name: unique("players"), description: "", members: [], ...params });
const recordOf = async (person: Person, id: number, include_deactivated_groups = false) =>
  (await person.call("GET", "/user_groups", { include_deactivated_groups })).body.user_groups.find(
    (group: { id: number }) => group.id === id,
  );

test("a group is created with all settings of the request, with an event for everyone", async () => {
  const [quince, snout] = [await aPerson("Quince"), await aPerson("Snout")];
  const inner = (await create(quince)).body.group_id;
  const name = unique("mechanicals");
  const log = await recordLog();

  const created = await create(quince, {
    name: ` ${name} `,
    description: "Hard-handed men",
    members: [snout.id, quince.id, snout.id],
    subgroups: [inner, moderators],
    can_add_members_group: members,
    can_join_group: { direct_members: [snout.id], direct_subgroups: [inner] },
    can_leave_group: nobody,
    can_manage_group: { direct_members: [], direct_subgroups: [moderators] },
    can_mention_group: members,
    can_remove_members_group: inner,
  });

  expect(created.body).toEqual({ result: "success", msg: "", group_id: expect.any(Number) });
  const record = {
    id: created.body.group_id,
    name,
    description: "Hard-handed men",
    date_created: expect.any(Number),
    creator_id: quince.id,
    members: [quince.id, snout.id],
    direct_subgroup_ids: [inner, moderators],
    is_system_group: false,
    deactivated: false,
    can_add_members_group: members,
    can_join_group: { direct_members: [snout.id], direct_subgroups: [inner] },
    can_leave_group: nobody,
    can_manage_group: moderators,
    can_mention_group: members,
    can_remove_members_group: inner,
  };
  expect(await recordOf(snout, created.body.group_id)).toEqual(record);
  const received = (await log.eventsFor(snout, ["user_group"])) as { group?: { id: number } }[];
  expect(received.find(({ group }) => group?.id === created.body.group_id)).toEqual({
    type: "user_group",
    op: "add",
    group: record,
  });
});

test("parameters that are absent get their defaults", async () => {
  const quince = await aPerson("Quince");

  const { body } = await create(quince);

  const creator = { direct_members: [quince.id], direct_subgroups: [] };
  expect(await recordOf(quince, body.group_id)).toMatchObject({
    can_add_members_group: creator,
    can_manage_group: creator,
    can_join_group: nobody,
    can_remove_members_group: nobody,
    can_leave_group: everyone,
    can_mention_group: everyone,
    members: [],
    direct_subgroup_ids: [],
  });
});

test("of concurrent requests to create a group of one name, one succeeds, and the name is taken regardless of case", async () => {
  const [quince, snout] = [await aPerson("Quince"), await aPerson("Snout")];
  const name = unique("race");

  const replies = await Promise.all([quince, snout, quince].map((person) => create(person, { name })));

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  const repeated = await create(quince, { name: name.toUpperCase() });
  expect(repeated.body).toEqual({
    result: "error",
    code: "BAD_REQUEST",
    msg: `User group '${name.toUpperCase()}' already exists.`,
  });
});

test("invalid names, members, subgroups and permissions are refused", async () => {
  const [quince, guest, deactivated] = [
    await aPerson("Quince"),
    await aPerson("Flute", { role: "guest" }),
    await aPerson("Gone"),
  ];
  await transact([
    updateAccount(deactivated.email, { set: { active: false } }),
    updateUser(deactivated.id, { set: { active: false } }),
  ]);
  const messageOf = async (params: Record<string, unknown>, person = quince) => {
    const { status, body } = await create(person, params);
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    return body.msg;
  };

  expect(await messageOf({}, guest)).toBe("Not allowed for guest users");
  expect(await messageOf({ members: [500_000_000] })).toBe("Invalid user ID: 500000000");
  expect(await messageOf({ members: [deactivated.id] })).toBe("User is deactivated");
  expect(await messageOf({ subgroups: [500_000_000] })).toBe("Invalid user group ID: 500000000");
  expect(await messageOf({ name: " " })).toBe("User group name can't be empty!");
  expect(await messageOf({ name: "x".repeat(101) })).toBe("User group name cannot exceed 100 characters.");
  for (const prefix of ["@", "role:", "user:", "stream:", "channel:"])
    expect(await messageOf({ name: `${prefix}x` })).toBe(`User group name cannot start with '${prefix}'.`);
  expect(await messageOf({ can_manage_group: everyone })).toContain("cannot be set to 'role:everyone' group.");
  expect(await messageOf({ can_mention_group: 8 })).toContain("cannot be set to 'role:internet' group.");
  expect(await messageOf({ can_mention_group: 2 })).toContain("cannot be set to 'role:owners' group.");
  expect((await quince.call("POST", "/user_groups/create", { name: "x", members: [] })).body.var_name).toBe(
    "description",
  );
});

test("system groups are listed with the users whose role makes them members", async () => {
  const [owner, moderator, guest] = [
    await aPerson("Theseus", { role: "owner" }),
    await aPerson("Egeus", { role: "moderator" }),
    await aPerson("Flute", { role: "guest" }),
  ];

  const { body } = await guest.call("GET", "/user_groups");

  const group = (name: string) => body.user_groups.find((candidate: { name: string }) => candidate.name === name);
  expect(group("role:owners").members).toContain(owner.id);
  expect(group("role:moderators").members).toContain(moderator.id);
  expect(group("role:moderators").members).not.toContain(owner.id);
  expect(group("role:everyone").members).toContain(guest.id);
  expect(group("role:nobody").members).toEqual([]);
  expect(group("role:internet")).toMatchObject({ members: [], is_system_group: true, can_mention_group: nobody });
  expect(group("role:administrators").direct_subgroup_ids).toEqual([2]);
  expect(body.user_groups.slice(0, 8).map(({ name }: { name: string }) => name)).toEqual([
    "role:nobody",
    "role:owners",
    "role:administrators",
    "role:moderators",
    "role:fullmembers",
    "role:members",
    "role:everyone",
    "role:internet",
  ]);
});
