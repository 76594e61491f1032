import { badRequest, expectationMismatch, systemGroupRequired } from "../errors.ts";
import { findGroups, type Group } from "../store/groups.ts";
import { findUsers, type User } from "../store/users.ts";
import { profilesOf } from "../users/profiles.ts";
import { allowsSystemGroup, type PermissionRule } from "./permission-rules.ts";
import { isSystemGroup, nobody, systemGroups } from "./system.ts";
import type { AnonymousGroup, GroupSetting } from "./values.ts";

/** Permission settings as requests give them: checked, brought into their stored form, compared and shown. */

type Rules = Readonly<Record<string, PermissionRule>>;
type Named<R extends Rules, T> = { [K in keyof R]?: T | undefined };

/** A change: the new value and, optionally, the one that the caller expects to be there. */
export interface GroupSettingUpdate {
  new: GroupSetting;
  old?: GroupSetting | undefined;
}

/**
 * Settings of a new thing, checked and in their stored form; those not given are left out. Refuses unknown users and
 * groups, deactivated groups and system groups that a setting may not take; drops deactivated users. Two reads of a
 * batch each, and only for what is named: 1 read unit for each.
 */
export async function accessGroupSettings<R extends Rules>(
  given: Named<R, GroupSetting>,
  rules: R,
): Promise<Named<R, GroupSetting>> {
  const wanted = Object.entries(given as Record<string, GroupSetting | undefined>).filter(
    (entry): entry is [string, GroupSetting] => entry[1] !== undefined,
  );
  const known = await readNamed(wanted.map(([, value]) => value));
  return Object.fromEntries(
    wanted.map(([name, value]) => [name, settled(name, value, rules[name] as PermissionRule, known)]),
  ) as Named<R, GroupSetting>;
}

/**
 * Those of the settings that a request changes, checked and in their stored form. Throws EXPECTATION_MISMATCH when an
 * `old` is not what is there, as the wire shows it.
 */
export async function accessGroupSettingUpdates<R extends Rules>(
  given: Named<R, GroupSettingUpdate>,
  current: { [K in keyof R]: GroupSetting },
  rules: R,
  usersVersion: number,
): Promise<Named<R, GroupSetting>> {
  const wanted = Object.entries(given as Record<string, GroupSettingUpdate | undefined>).filter(
    (entry): entry is [string, GroupSettingUpdate] => entry[1] !== undefined,
  );
  const shown = await shownSettings(
    wanted.map(([name]) => current[name] as GroupSetting),
    usersVersion,
  );
  for (const [name, { old }] of wanted)
    if (old !== undefined && !sameSetting(old, shown(current[name] as GroupSetting))) throw expectationMismatch();
  const next = await accessGroupSettings(
    Object.fromEntries(wanted.map(([name, update]) => [name, update.new])) as Named<R, GroupSetting>,
    rules,
  );
  return Object.fromEntries(
    Object.entries(next as Record<string, GroupSetting>).filter(
      ([name, value]) => !sameSetting(value, current[name] as GroupSetting),
    ),
  ) as Named<R, GroupSetting>;
}

/** Equal integers, or objects of equal sets; an integer and an object never. */
export function sameSetting(one: GroupSetting, other: GroupSetting): boolean {
  if (typeof one === "number" || typeof other === "number") return one === other;
  return sameSet(one.direct_members, other.direct_members) && sameSet(one.direct_subgroups, other.direct_subgroups);
}

const sameSet = (one: readonly number[], other: readonly number[]) =>
  new Set(one).size === new Set(other).size && one.every((id) => other.includes(id));

/**
 * Shows settings without deactivated users (2.1): those come back when they are reactivated, so the store keeps them.
 * Reads users that this process does not know yet, 1 read unit each, for all of `values` at once.
 */
export async function shownSettings(
  values: Iterable<GroupSetting>,
  usersVersion: number,
): Promise<(value: GroupSetting) => GroupSetting> {
  const ids = [...values].flatMap((value) => (typeof value === "number" ? [] : value.direct_members));
  const users = ids.length > 0 ? await profilesOf(ids, usersVersion) : new Map<number, User>();
  return (value) =>
    typeof value === "number"
      ? value
      : {
          direct_members: value.direct_members.filter((id) => users.get(id)?.active !== false),
          direct_subgroups: value.direct_subgroups,
        };
}

/** IDs of the groups made by people that values name: a change that uses them checks that they are active still. */
export const groupsNamedBy = (values: Iterable<GroupSetting>): number[] => [
  ...new Set(
    [...values]
      .flatMap((value) => (typeof value === "number" ? [value] : value.direct_subgroups))
      .filter((id) => !isSystemGroup(id)),
  ),
];

interface Known {
  users: Map<number, User | undefined>;
  groups: Map<number, Group | undefined>;
}

async function readNamed(values: readonly GroupSetting[]): Promise<Known> {
  const userIds = [...new Set(values.flatMap((value) => (typeof value === "number" ? [] : value.direct_members)))];
  const groupIds = groupsNamedBy(values);
  const [users, groups] = await Promise.all([findUsers(userIds), findGroups(groupIds)]);
  return {
    users: new Map(userIds.map((id, index) => [id, users[index]])),
    groups: new Map(groupIds.map((id, index) => [id, groups[index]])),
  };
}

function settled(name: string, given: GroupSetting, rule: PermissionRule, known: Known): GroupSetting {
  const value = typeof given === "number" ? given : normalized(given, known);
  if (typeof value !== "number" && rule.require_system_group) throw systemGroupRequired(name);
  for (const id of typeof value === "number" ? [value] : value.direct_subgroups) {
    if (isSystemGroup(id)) checkSystemGroup(name, id, rule, typeof value === "number");
    else checkGroup(name, id, rule, known);
  }
  return value;
}

/** Without deactivated users; one lone subgroup as that group's ID, and nobody at all as role:nobody. */
function normalized({ direct_members, direct_subgroups }: AnonymousGroup, { users }: Known): GroupSetting {
  const members = [...new Set(direct_members)].filter((id) => {
    const user = users.get(id);
    if (!user) throw badRequest(`Invalid user ID: ${id}`);
    return user.active;
  });
  const subgroups = [...new Set(direct_subgroups)];
  const [only, ...others] = subgroups;
  if (members.length > 0 || others.length > 0)
    return { direct_members: members.sort((a, b) => a - b), direct_subgroups: subgroups.sort((a, b) => a - b) };
  return only ?? nobody;
}

function checkSystemGroup(name: string, id: number, rule: PermissionRule, alone: boolean): void {
  const group = systemGroups.find((candidate) => candidate.id === id);
  // Among others role:nobody adds no one.
  if (!group || (id === nobody && !alone)) return;
  if (!allowsSystemGroup(rule, group.name))
    throw badRequest(`'${name}' setting cannot be set to '${group.name}' group.`);
}

function checkGroup(name: string, id: number, rule: PermissionRule, { groups }: Known): void {
  const group = groups.get(id);
  if (!group) throw badRequest(`Invalid user group ID: ${id}`);
  if (rule.require_system_group) throw systemGroupRequired(name);
  if (group.deactivated) throw badRequest("User group is deactivated.");
}
