import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { permissionSettings } from "../../shared/base/schema/organization-settings.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { everyone, internet, members, moderators, nobody, owners } from "../../shared/base/schema/system-groups.ts";
import { defaultGroupSettings } from "../../shared/core/user-groups/defaults.ts";
import {
  checkGroupSettings,
  checkGroupSettingUpdates,
  loadVisibleSettings,
} from "../../shared/core/user-groups/settings.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import {
  channelPermissionRules,
  groupPermissionRules,
  realmPermissionRules,
} from "../../shared/services/permissions/permission-rules.ts";
import { createGroup } from "../../shared/store/organization/groups.ts";
import { bumpUsersVersion } from "../../shared/store/organization/organization.ts";
import { takeIds } from "../../shared/store/table/counters.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { aPerson, type Person } from "../support/world.ts";

async function anEmptyGroup(deactivated = false): Promise<number> {
  const id = await takeIds("group");
  const group = {
    id,
    name: `group ${randomBytes(5).toString("hex")}`,
    description: "",
    createdAt: null,
    creatorId: null,
    subgroupIds: [],
    isSystem: false,
    deactivated,
    settings: defaultGroupSettings(null),
  };
  await transact(createGroup(group));
  return id;
}

const deactivate = ({ id }: Person) => transact([updateUser(id, { set: { active: false } }), bumpUsersVersion()]);

const owner = { id: 0, role: roles.owner };
const realmRules = realmPermissionRules;
/** The form in which a permission's value is stored. */
const canonical = async (value: Parameters<typeof checkGroupSettings>[1][string]) =>
  (await checkGroupSettings(owner, { can_send_message_group: value }, channelPermissionRules)).can_send_message_group;

test("every permission setting has a rule for its values", () => {
  expect(Object.keys(realmRules).sort()).toEqual(Object.keys(permissionSettings).sort());
});

test("a value is stored in one canonical form", async () => {
  const [puck, oberon, group] = [await aPerson("Puck"), await aPerson("Oberon"), await anEmptyGroup()];
  await deactivate(oberon);

  expect(await canonical(members)).toBe(members);
  expect(await canonical(group)).toBe(group);
  expect(await canonical({ direct_members: [], direct_subgroups: [group] })).toBe(group);
  expect(await canonical({ direct_members: [], direct_subgroups: [] })).toBe(nobody);
  expect(await canonical({ direct_members: [oberon.id], direct_subgroups: [] })).toBe(nobody);
  expect(
    await canonical({ direct_members: [oberon.id, puck.id, puck.id], direct_subgroups: [group, members] }),
  ).toEqual({
    direct_members: [puck.id],
    direct_subgroups: [members, group],
  });
});

test("unknown users, unknown groups and deactivated groups are refused", async () => {
  const deactivated = await anEmptyGroup(true);

  await expect(canonical(99_999_999)).rejects.toThrow("Invalid user group ID: 99999999");
  await expect(canonical({ direct_members: [99_999_999], direct_subgroups: [] })).rejects.toThrow(
    "Invalid user ID: 99999999",
  );
  await expect(canonical(deactivated)).rejects.toThrow("User group is deactivated.");
  await expect(canonical({ direct_members: [], direct_subgroups: [members, deactivated] })).rejects.toThrow(
    "User group is deactivated.",
  );
});

test("each setting refuses disallowed system groups, alone and as subgroups", async () => {
  const anonymous = (id: number) => ({ direct_members: [], direct_subgroups: [id, moderators] });
  const group = await anEmptyGroup();
  const refusals: [keyof typeof realmRules, number, string][] = [
    ["can_delete_any_message_group", internet, "role:internet"],
    ["can_create_users_group", everyone, "role:everyone"],
    ["can_manage_all_groups", nobody, "role:nobody"],
    ["can_create_web_public_channel_group", members, "role:members"],
    ["can_access_all_users_group", moderators, "role:moderators"],
  ];

  for (const [name, id, groupName] of refusals)
    await expect(checkGroupSettings(owner, { [name]: id }, realmRules)).rejects.toThrow(
      `'${name}' setting cannot be set to '${groupName}' group.`,
    );
  await expect(checkGroupSettings(owner, { can_mention_group: owners }, groupPermissionRules)).rejects.toThrow(
    "role:owners",
  );
  await expect(checkGroupSettings(owner, { can_manage_group: everyone }, groupPermissionRules)).rejects.toThrow(
    "role:every",
  );
  await expect(
    checkGroupSettings(owner, { can_subscribe_group: anonymous(everyone) }, channelPermissionRules),
  ).rejects.toThrow("role:everyone");
  for (const value of [group, anonymous(members)])
    await expect(checkGroupSettings(owner, { can_access_all_users_group: value }, realmRules)).rejects.toMatchObject({
      code: "SYSTEM_GROUP_REQUIRED",
      extra: { setting_name: "can_access_all_users_group" },
    });
});

test("a change is refused if the visible value is not the expected one", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const both = { direct_members: [puck.id, oberon.id], direct_subgroups: [] };
  const current = { ...(await loadRealm()).settings, can_create_bots_group: both };
  const change = async (old?: number | typeof both) =>
    checkGroupSettingUpdates(
      owner,
      { can_create_bots_group: { new: members, ...(old !== undefined && { old }) } },
      current,
      realmRules,
      (await loadRealm()).usersVersion,
    );

  expect(await change()).toEqual({ can_create_bots_group: members });
  expect(await change({ ...both, direct_members: [oberon.id, puck.id] })).toEqual({ can_create_bots_group: members });
  await expect(change(members)).rejects.toMatchObject({ code: "EXPECTATION_MISMATCH" });
  await deactivate(oberon);
  await expect(change(both)).rejects.toMatchObject({ code: "EXPECTATION_MISMATCH" });
  expect(await change({ ...both, direct_members: [puck.id] })).toEqual({ can_create_bots_group: members });
});

test("a value that is equal in canonical form is not a change", async () => {
  const { settings, usersVersion } = await loadRealm();

  const changed = await checkGroupSettingUpdates(
    owner,
    { can_create_bots_group: { new: { direct_members: [], direct_subgroups: [members] }, old: members } },
    settings,
    realmRules,
    usersVersion,
  );

  expect(changed).toEqual({});
});

test("a value omits deactivated users until they are reactivated", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const both = { direct_members: [puck.id, oberon.id], direct_subgroups: [members] };
  const shown = async () => (await loadVisibleSettings([both, 3], (await loadRealm()).usersVersion))(both);

  await deactivate(oberon);
  const without = await shown();
  await transact([updateUser(oberon.id, { set: { active: true } }), bumpUsersVersion()]);

  expect(without).toEqual({ direct_members: [puck.id], direct_subgroups: [members] });
  expect(await shown()).toEqual(both);
});
