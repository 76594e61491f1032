import { bool, either, exactly, int, list, nullable, text, type Value } from "../http/params.ts";
import type { Group } from "../store/groups.ts";
import type { GroupSetting } from "./values.ts";

/** A group-setting value (2.1) in replies and events. */
export const groupSettingValue = () =>
  either([int(), exactly({ direct_members: list(int()), direct_subgroups: list(int()) })], "a group-setting value");

/** The record of a user group (companion reference, B 4.5). */
export const groupObject = exactly({
  id: int(),
  name: text(),
  description: text(),
  date_created: nullable(int()),
  creator_id: nullable(int()),
  members: list(int()),
  direct_subgroup_ids: list(int()),
  is_system_group: bool(),
  deactivated: bool(),
  can_add_members_group: groupSettingValue(),
  can_join_group: groupSettingValue(),
  can_leave_group: groupSettingValue(),
  can_manage_group: groupSettingValue(),
  can_mention_group: groupSettingValue(),
  can_remove_members_group: groupSettingValue(),
});
/** A group's permissions: their names on the wire, and in the store. */
export const settingNames = {
  can_add_members_group: "canAddMembersGroup",
  can_join_group: "canJoinGroup",
  can_leave_group: "canLeaveGroup",
  can_manage_group: "canManageGroup",
  can_mention_group: "canMentionGroup",
  can_remove_members_group: "canRemoveMembersGroup",
} as const satisfies Record<string, keyof Group["settings"]>;

/** Settings under their wire names. */
export const wireSettings = (settings: Group["settings"]) =>
  Object.fromEntries(Object.entries(settingNames).map(([wire, name]) => [wire, settings[name]])) as {
    [K in keyof typeof settingNames]: GroupSetting;
  };

/** Settings under their stored names. */
export const storedSettings = (given: { [K in keyof typeof settingNames]?: GroupSetting | undefined }) =>
  Object.fromEntries(
    Object.entries(settingNames).flatMap(([wire, name]) => {
      const value = given[wire as keyof typeof settingNames];
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Group["settings"]>;

export type GroupObject = Value<typeof groupObject>;

/** A group as everyone sees it; of a system group, `members` are those that its roles make. */
export const wireGroup = (group: Group, members: Iterable<number> = group.members ?? []): GroupObject => ({
  id: group.id,
  name: group.name,
  description: group.description,
  date_created: group.createdAt,
  creator_id: group.creatorId,
  members: [...members].sort((a, b) => a - b),
  direct_subgroup_ids: group.subgroupIds,
  is_system_group: group.isSystem,
  deactivated: group.deactivated,
  ...wireSettings(group.settings),
});
