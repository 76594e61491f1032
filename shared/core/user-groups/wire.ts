import type { GroupSetting } from "../../base/schema/group-setting.ts";
import { bool, int, list, nullable, shapeOf, strictObject, text, union, type Value } from "../../base/schema/params.ts";
import type { Group } from "../../store/organization/groups.ts";

/** A group-setting value in replies and events. See https://zulip.com/api/group-setting-values. */
export const groupSettingValue = () =>
  union([int(), strictObject({ direct_members: list(int()), direct_subgroups: list(int()) })], "a group-setting value");

/** A group's permissions: wire names to stored names. */
export const settingNames = {
  can_add_members_group: "canAddMembersGroup",
  can_join_group: "canJoinGroup",
  can_leave_group: "canLeaveGroup",
  can_manage_group: "canManageGroup",
  can_mention_group: "canMentionGroup",
  can_remove_members_group: "canRemoveMembersGroup",
} as const satisfies Record<string, keyof Group["settings"]>;

export const groupPermissionNames = Object.keys(settingNames) as (keyof typeof settingNames)[];

export const groupSettingFields = shapeOf(groupPermissionNames, groupSettingValue());

/** The user group object; see https://zulip.com/api/get-user-groups. */
export const groupObject = strictObject({
  id: int(),
  name: text(),
  description: text(),
  date_created: nullable(int()),
  creator_id: nullable(int()),
  members: list(int()),
  direct_subgroup_ids: list(int()),
  is_system_group: bool(),
  deactivated: bool(),
  ...groupSettingFields,
});

export const toGroupSettingsWire = (settings: Group["settings"]) =>
  Object.fromEntries(Object.entries(settingNames).map(([wire, name]) => [wire, settings[name]])) as {
    [K in keyof typeof settingNames]: GroupSetting;
  };

export const fromGroupSettingsWire = (settings: { [K in keyof typeof settingNames]?: GroupSetting | undefined }) =>
  Object.fromEntries(
    Object.entries(settingNames).flatMap(([wire, name]) => {
      const value = settings[wire as keyof typeof settingNames];
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Group["settings"]>;

export type GroupObject = Value<typeof groupObject>;

/** Converts a group for clients; system groups need `members` derived from roles. */
export const toGroupWire = (group: Group, members: Iterable<number> = group.members ?? []): GroupObject => ({
  id: group.id,
  name: group.name,
  description: group.description,
  date_created: group.createdAt,
  creator_id: group.creatorId,
  members: [...members].sort((a, b) => a - b),
  direct_subgroup_ids: group.subgroupIds,
  is_system_group: group.isSystem,
  deactivated: group.deactivated,
  ...toGroupSettingsWire(group.settings),
});
