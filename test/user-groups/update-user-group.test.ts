import { expect, test } from "vitest";
import { administrators, everyone, members, moderators, nobody } from "../../shared/base/schema/system-groups.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { recordLog } from "../support/channel-log.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, localTest, type Person } from "../support/world.ts";

const aGroup = async (person: Person, params: Record<string, unknown> = {}): Promise<number> => {
  const fields = { name: unique("players"), description: "", members: [], ...params };
  return (await person.call("POST", "/user_groups/create", fields)).body.group_id;
};
const recordOf = async (person: Person, id: number, include_deactivated_groups = true) =>
  (await person.call("GET", "/user_groups", { include_deactivated_groups })).body.user_groups.find(
    (group: { id: number }) => group.id === id,
  );
const patch = (person: Person, id: number, params: Record<string, unknown>) =>
  person.call("PATCH", `/user_groups/${id}`, params);

test("each field can be changed, with one event for all changes", async () => {
  const [quince, snout] = [await aPerson("Quince"), await aPerson("Snout")];
  const id = await aGroup(quince);
  const name = unique("renamed");
  const creator = { direct_members: [quince.id], direct_subgroups: [] };
  const log = await recordLog();

  const changed = await patch(quince, id, {
    name,
    description: "Rude mechanicals",
    can_add_members_group: { new: members, old: creator },
    can_join_group: { new: { direct_members: [snout.id], direct_subgroups: [] } },
    can_leave_group: { new: nobody, old: everyone },
    can_mention_group: { new: { direct_members: [], direct_subgroups: [moderators] } },
    can_remove_members_group: { new: { direct_members: [], direct_subgroups: [] } },
  });

  expect(changed.body).toEqual({ result: "success", msg: "" });
  const data = {
    name,
    description: "Rude mechanicals",
    can_add_members_group: members,
    can_join_group: { direct_members: [snout.id], direct_subgroups: [] },
    can_leave_group: nobody,
    can_mention_group: moderators,
  };
  expect(await recordOf(snout, id)).toMatchObject({ ...data, can_remove_members_group: nobody });
  const received = (await log.eventsFor(snout, ["user_group"])).filter(({ group_id }) => group_id === id);
  expect(received).toEqual([{ type: "user_group", op: "update", group_id: id, data }]);
});

test("a request without effect succeeds without an event, and an empty request is an error", async () => {
  const quince = await aPerson("Quince");
  const name = unique("same");
  const id = await aGroup(quince, { name });
  const log = await recordLog();

  expect((await patch(quince, id, { name, can_leave_group: { new: everyone } })).status).toBe(200);
  expect((await patch(quince, id, { deactivated: true })).status).toBe(200);
  expect((await patch(quince, id, { deactivated: false })).status).toBe(200);
  expect((await patch(quince, id, {})).body).toMatchObject({ code: "BAD_REQUEST", msg: "No new data supplied" });

  expect(await recordOf(quince, id)).toMatchObject({ deactivated: false });
  expect((await log.eventsFor(quince, ["user_group"])).filter(({ group_id }) => group_id === id)).toEqual([]);
});

test("a wrong expected value is refused, and no part of the request takes effect", async () => {
  const quince = await aPerson("Quince");
  const id = await aGroup(quince, { description: "before" });
  const attempt = (old: unknown) =>
    patch(quince, id, { description: "after", can_manage_group: { new: moderators, old } });

  for (const old of [
    members,
    { direct_members: [], direct_subgroups: [] },
    { direct_members: [1], direct_subgroups: [members] },
  ])
    expect((await attempt(old)).body).toEqual({
      result: "error",
      msg: "'old' value does not match the expected value.",
      code: "EXPECTATION_MISMATCH",
    });

  expect(await recordOf(quince, id)).toMatchObject({ description: "before" });
  expect((await attempt({ direct_members: [quince.id, quince.id], direct_subgroups: [] })).status).toBe(200);
});

test("of two concurrent changes with expected values one is refused, and without them neither is lost", async () => {
  const [quince, admin] = [await aPerson("Quince"), await aPerson("Theseus", { role: "owner" })];
  const id = await aGroup(quince);

  const withExpectedValues = await Promise.all([
    patch(quince, id, { can_join_group: { new: members, old: nobody } }),
    patch(admin, id, { can_join_group: { new: moderators, old: nobody } }),
  ]);
  const withoutExpectedValues = await Promise.all([
    patch(quince, id, { description: "kept" }),
    patch(admin, id, { can_leave_group: { new: moderators } }),
    patch(admin, id, { can_mention_group: { new: members } }),
  ]);

  expect(withExpectedValues.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(withoutExpectedValues.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await recordOf(quince, id)).toMatchObject({
    description: "kept",
    can_leave_group: moderators,
    can_mention_group: members,
  });
});

test("only users who manage a group, or all groups, can change it, and nobody can change system groups", async () => {
  const [quince, snout, guest] = [
    await aPerson("Quince"),
    await aPerson("Snout"),
    await aPerson("Flute", { role: "guest" }),
  ];
  const [owner, bot] = [await aPerson("Theseus", { role: "owner" }), await aPerson("Bot")];
  await transact([updateAccount(bot.email, { set: { botType: 1 } })]);
  const id = await aGroup(quince);
  const messageOf = async (person: Person, group = id) => (await patch(person, group, { description: "x" })).body.msg;

  expect(await messageOf(snout)).toBe("Insufficient permission");
  expect(await messageOf(guest)).toBe("Not allowed for guest users");
  expect(await messageOf(bot)).toBe("This endpoint does not accept bot requests.");
  expect(await messageOf(owner, administrators)).toBe("Insufficient permission");
  expect(await messageOf(owner, 99_999_999)).toBe("Invalid user group");
  expect(await messageOf(owner)).toBe("");
  expect(await messageOf(quince)).toBe("");
});

test("invalid names and settings are refused", async () => {
  const quince = await aPerson("Quince");
  const [other, id] = [unique("other"), await aGroup(quince)];
  await aGroup(quince, { name: other });
  const messageOf = async (params: Record<string, unknown>) => (await patch(quince, id, params)).body.msg;

  expect(await messageOf({ name: other.toUpperCase() })).toBe(`User group '${other.toUpperCase()}' already exists.`);
  expect(await messageOf({ name: "" })).toBe("User group name can't be empty!");
  expect(await messageOf({ name: "role:x" })).toBe("User group name cannot start with 'role:'.");
  expect(await messageOf({ can_manage_group: { new: 8 } })).toContain("'role:internet'");
  expect(await messageOf({ can_manage_group: { new: everyone } })).toContain("'role:everyone'");
  expect(await messageOf({ can_mention_group: { new: 2 } })).toContain("'role:owners'");
  expect(await messageOf({ can_mention_group: { new: 8 } })).toContain("'role:internet'");
  expect(await messageOf({ can_join_group: { new: 99_999_999 } })).toBe("Invalid user group ID: 99999999");
  expect(await messageOf({ can_join_group: { old: 1 } })).toContain("can_join_group");
});

test("a deactivated group cannot be used, keeps its name and settings, and can be reactivated", async () => {
  const [quince, snout] = [await aPerson("Quince"), await aPerson("Snout")];
  const name = unique("players");
  const id = await aGroup(quince, { name, members: [snout.id] });
  const other = await aGroup(quince);
  const log = await recordLog();

  const deactivated = await quince.call("POST", `/user_groups/${id}/deactivate`);

  expect(deactivated.body).toEqual({ result: "success", msg: "" });
  expect(await recordOf(snout, id, false)).toBeUndefined();
  expect(await recordOf(snout, id)).toMatchObject({ deactivated: true, members: [snout.id] });
  expect((await quince.call("POST", `/user_groups/${id}/deactivate`)).body.msg).toBe("User group is deactivated.");
  expect((await patch(quince, other, { can_join_group: { new: id } })).body.msg).toBe("User group is deactivated.");
  const used = await quince.call("POST", `/user_groups/${other}/subgroups`, { add: [id] });
  expect(used.body.msg).toBe("User group is deactivated.");
  expect((await quince.call("POST", `/user_groups/${id}/members`, { add: [quince.id] })).body.msg).toBe(
    "User group is deactivated.",
  );
  expect((await quince.call("POST", "/user_groups/create", { name, description: "", members: [] })).status).toBe(400);
  expect((await patch(quince, id, { can_join_group: { new: members } })).status).toBe(200);

  const reactivated = await patch(quince, id, { deactivated: false, description: "again" });

  expect(reactivated.status).toBe(200);
  expect(await recordOf(snout, id, false)).toMatchObject({
    deactivated: false,
    description: "again",
    can_join_group: members,
    members: [snout.id],
  });
  const received = (await log.eventsFor(snout, ["user_group"])).filter(({ group_id }) => group_id === id);
  expect(received.map(({ op, data }) => [op, data])).toEqual([
    ["update", { deactivated: true }],
    ["update", { can_join_group: members }],
    ["update", { deactivated: false, description: "again" }],
  ]);
});

test("a group in use cannot be deactivated, and the error lists the uses", async () => {
  const quince = await aPerson("Quince");
  const id = await aGroup(quince);
  const [usingGroup, supergroup] = [
    await aGroup(quince, { can_join_group: id }),
    await aGroup(quince, { subgroups: [id] }),
  ];
  const stage = await aChannel("stage", [], {
    permissions: { can_send_message_group: { direct_members: [quince.id], direct_subgroups: [id] } },
  });

  const refused = await quince.call("POST", `/user_groups/${id}/deactivate`);

  expect(refused).toMatchObject({ status: 400, body: { code: "CANNOT_DEACTIVATE_GROUP_IN_USE" } });
  expect(refused.body.objections).toEqual([
    { type: "channel", channel_id: stage.id, settings: ["can_send_message_group"] },
    { type: "user_group", group_id: usingGroup, settings: ["can_join_group"] },
    { type: "subgroup", supergroup_ids: [supergroup] },
  ]);
  expect(await recordOf(quince, id)).toMatchObject({ deactivated: false });
  expect((await patch(quince, usingGroup, { can_leave_group: { new: id } })).status).toBe(200);
});

localTest("a race with many conflicts needs a local host")(
  "a group is either in use or deactivated, even with concurrent requests",
  async () => {
    const quince = await aPerson("Quince");
    for (let round = 0; round < 4; round++) {
      const [id, using] = [await aGroup(quince), await aGroup(quince)];

      const [deactivation, use] = await Promise.all([
        quince.call("POST", `/user_groups/${id}/deactivate`),
        patch(quince, using, { can_join_group: { new: id } }),
      ]);

      expect([deactivation.status, use.status].filter((status) => status === 200).length).toBeLessThanOrEqual(1);
      const record = await recordOf(quince, id);
      expect(record.deactivated).toBe(deactivation.status === 200);
    }
    for (let round = 0; round < 4; round++) {
      const id = await aGroup(quince);
      const channel = { name: unique("stage"), subscribers: [], can_subscribe_group: id };

      const [deactivation, creation] = await Promise.all([
        quince.call("POST", `/user_groups/${id}/deactivate`),
        quince.call("POST", "/channels/create", channel),
      ]);

      expect([deactivation.status, creation.status].filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    }
  },
);
