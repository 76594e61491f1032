import { badRequest, expectationMismatch, systemGroupRequired } from "../../base/errors.ts";
import type { AnonymousGroup, GroupSetting } from "../../base/schema/group-setting.ts";
import type { groupSettingUpdate, Value } from "../../base/schema/params.ts";
import { isSystemGroup, nobody, systemGroups } from "../../base/schema/system-groups.ts";
import { findNamedUsers } from "../../services/identity/named.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import type { Viewer } from "../../services/identity/visibility.ts";
import { allowsSystemGroup, type PermissionRule } from "../../services/permissions/permission-rules.ts";
import { findGroups, type Group } from "../../store/organization/groups.ts";
import type { User } from "../../store/users/users.ts";

/**
 * Group-setting values in requests: checks, stored form, comparison and visible form. See
 * https://zulip.com/api/group-setting-values.
 */

type Rules = Readonly<Record<string, PermissionRule>>;
type BySetting<R extends Rules, T> = { [K in keyof R]?: T | undefined };

export type GroupSettingUpdate = Value<ReturnType<typeof groupSettingUpdate>>;

/**
 * Checks settings of a new object and returns them in stored form; omits those not given. Refuses unknown users and
 * groups, deactivated groups and system groups that a setting does not allow; drops deactivated users. Costs 1 read unit per
 * referenced user or group.
 */
export async function checkGroupSettings<R extends Rules>(
  viewer: Viewer,
  requested: BySetting<R, GroupSetting>,
  rules: R,
): Promise<BySetting<R, GroupSetting>> {
  const entries = Object.entries(requested as Record<string, GroupSetting | undefined>).filter(
    (entry): entry is [string, GroupSetting] => entry[1] !== undefined,
  );
  const references = await loadReferences(
    viewer,
    entries.map(([, value]) => value),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, toStoredSetting(name, value, rules[name] as PermissionRule, references)]),
  ) as BySetting<R, GroupSetting>;
}

/**
 * Checks changes of settings and returns those that differ, in stored form. Throws EXPECTATION_MISMATCH when an `old`
 * is not the visible current value.
 */
export async function checkGroupSettingUpdates<R extends Rules>(
  viewer: Viewer,
  requested: BySetting<R, GroupSettingUpdate>,
  current: { [K in keyof R]: GroupSetting },
  rules: R,
  usersVersion: number,
): Promise<BySetting<R, GroupSetting>> {
  const entries = Object.entries(requested as Record<string, GroupSettingUpdate | undefined>).filter(
    (entry): entry is [string, GroupSettingUpdate] => entry[1] !== undefined,
  );
  const toVisible = await loadVisibleSettings(
    entries.map(([name]) => current[name] as GroupSetting),
    usersVersion,
  );
  for (const [name, { old }] of entries)
    if (old !== undefined && !isSameSetting(old, toVisible(current[name] as GroupSetting))) throw expectationMismatch();
  const newValues = await checkGroupSettings(
    viewer,
    Object.fromEntries(entries.map(([name, update]) => [name, update.new])) as BySetting<R, GroupSetting>,
    rules,
  );
  return Object.fromEntries(
    Object.entries(newValues as Record<string, GroupSetting>).filter(
      ([name, value]) => !isSameSetting(value, current[name] as GroupSetting),
    ),
  ) as BySetting<R, GroupSetting>;
}

/** Equal integers, or objects with equal sets; an integer never equals an object. */
function isSameSetting(one: GroupSetting, other: GroupSetting): boolean {
  if (typeof one === "number" || typeof other === "number") return one === other;
  return isSameSet(one.direct_members, other.direct_members) && isSameSet(one.direct_subgroups, other.direct_subgroups);
}

const isSameSet = (one: readonly number[], other: readonly number[]) =>
  new Set(one).size === new Set(other).size && one.every((id) => other.includes(id));

/**
 * Returns a function that removes deactivated users from settings, as clients see them. The store keeps them for a later
 * reactivation. Reads the users of all `values` that this process has not cached, 1 read unit each.
 */
export async function loadVisibleSettings(
  values: Iterable<GroupSetting>,
  usersVersion: number,
): Promise<(value: GroupSetting) => GroupSetting> {
  const ids = [...values].flatMap((value) => (typeof value === "number" ? [] : value.direct_members));
  const users = ids.length > 0 ? await findCachedProfiles(ids, usersVersion) : new Map<number, User>();
  return (value) => withMembers(value, (id) => users.get(id)?.active !== false);
}

/** A value with only those of its users that are to be shown. */
export const withMembers = (value: GroupSetting, isShown: (userId: number) => boolean): GroupSetting =>
  typeof value === "number" ? value : { ...value, direct_members: value.direct_members.filter(isShown) };

/** IDs of custom groups that values reference; a change that uses them checks that they are still active. */
export const referencedGroups = (values: Iterable<GroupSetting>): number[] => [
  ...new Set(
    [...values]
      .flatMap((value) => (typeof value === "number" ? [value] : value.direct_subgroups))
      .filter((id) => !isSystemGroup(id)),
  ),
];

interface References {
  users: Map<number, User | undefined>;
  groups: Map<number, Group | undefined>;
}

async function loadReferences(viewer: Viewer, values: readonly GroupSetting[]): Promise<References> {
  const userIds = [...new Set(values.flatMap((value) => (typeof value === "number" ? [] : value.direct_members)))];
  const groupIds = referencedGroups(values);
  const [users, groups] = await Promise.all([findNamedUsers(viewer, userIds), findGroups(groupIds)]);
  return {
    users: new Map(userIds.map((id, index) => [id, users[index]])),
    groups: new Map(groupIds.map((id, index) => [id, groups[index]])),
  };
}

function toStoredSetting(
  name: string,
  requestedValue: GroupSetting,
  rule: PermissionRule,
  references: References,
): GroupSetting {
  const value = typeof requestedValue === "number" ? requestedValue : normalize(requestedValue, references);
  if (typeof value !== "number" && rule.require_system_group) throw systemGroupRequired(name);
  for (const id of typeof value === "number" ? [value] : value.direct_subgroups) {
    if (isSystemGroup(id)) checkSystemGroup(name, id, rule, typeof value === "number");
    else checkGroup(name, id, rule, references);
  }
  return value;
}

/** Drops deactivated users; a single subgroup becomes that group's ID, and an empty value role:nobody. */
function normalize({ direct_members, direct_subgroups }: AnonymousGroup, { users }: References): GroupSetting {
  const members = [...new Set(direct_members)].filter((id) => {
    const user = users.get(id);
    if (!user) throw badRequest(`Invalid user ID: ${id}`);
    return user.active;
  });
  const subgroups = [...new Set(direct_subgroups)];
  const [firstSubgroup, ...otherSubgroups] = subgroups;
  if (members.length > 0 || otherSubgroups.length > 0)
    return { direct_members: members.sort((a, b) => a - b), direct_subgroups: subgroups.sort((a, b) => a - b) };
  return firstSubgroup ?? nobody;
}

function checkSystemGroup(name: string, id: number, rule: PermissionRule, isOnlyGroup: boolean): void {
  const group = systemGroups.find((candidate) => candidate.id === id);
  // role:nobody next to other groups has no effect.
  if (!group || (id === nobody && !isOnlyGroup)) return;
  if (!allowsSystemGroup(rule, group.name))
    throw badRequest(`'${name}' setting cannot be set to '${group.name}' group.`);
}

function checkGroup(name: string, id: number, rule: PermissionRule, { groups }: References): void {
  const group = groups.get(id);
  if (!group) throw badRequest(`Invalid user group ID: ${id}`);
  if (rule.require_system_group) throw systemGroupRequired(name);
  if (group.deactivated) throw badRequest("User group is deactivated.");
}
