import { limits } from "../../../base/limits.ts";
import type { GroupSetting } from "../../../base/schema/group-setting.ts";
import { nobody, systemGroups } from "../../../base/schema/system-groups.ts";
import { truncate } from "../../../base/schema/text.ts";
import { defaultGroupSettings } from "../../../core/user-groups/defaults.ts";
import type { Group } from "../../../store/organization/groups.ts";
import { allowedName, UniqueNames } from "../names.ts";
import type { ImportReport } from "../report.ts";
import type { ZulipExport, ZulipGroup } from "./format.ts";
import type { ZulipPeople } from "./people.ts";

/**
 * The groups of an export. In Zulip each value of a permission is a group: one with a name, or an anonymous one, which here is a
 * value of its own.
 */
export class ZulipGroups {
  readonly groups: Group[] = [];
  readonly #people: ZulipPeople;
  readonly #ids = new Map<number, number>();
  readonly #members: Map<number, number[]>;
  readonly #subgroups: Map<number, number[]>;
  readonly #known: Set<number>;

  constructor({ tables }: ZulipExport, people: ZulipPeople, report: ImportReport) {
    this.#people = people;
    this.#known = new Set(tables.zerver_usergroup.map(({ id }) => id));
    this.#members = grouped(tables.zerver_usergroupmembership.map((row) => [row.user_group, row.user_profile]));
    this.#subgroups = withoutCycles(
      grouped(tables.zerver_groupgroupmembership.map((row) => [row.supergroup, row.subgroup])),
      () => report.lacks("groups that contained themselves through others: the last nesting is left out"),
    );
    const named: (ZulipGroup & { id: number })[] = [];
    for (const group of tables.zerver_namedusergroup) {
      const id = group.usergroup_ptr ?? group.id;
      if (id === undefined || this.#ids.has(id)) continue;
      const system = systemGroups.find(({ name }) => name === group.name);
      if (group.is_system_group) {
        if (system) this.#ids.set(id, system.id);
        continue;
      }
      named.push({ ...group, id });
      this.#ids.set(id, systemGroups.length + named.length);
    }
    const names = new UniqueNames(systemGroups.map(({ name }) => name));
    for (const group of named) this.groups.push(this.#groupOf(group, names, report));
  }

  /** The value of a permission whose group has this ID in the archive; undefined if there is none. */
  settingOf(zulipId: unknown): GroupSetting | undefined {
    if (typeof zulipId !== "number") return undefined;
    const id = this.#ids.get(zulipId);
    if (id !== undefined || !this.#known.has(zulipId)) return id;
    const direct_members = this.#people.idsOf(this.#members.get(zulipId) ?? []);
    const direct_subgroups = this.#idsOf(this.#subgroups.get(zulipId) ?? []);
    const [only] = direct_subgroups;
    if (direct_members.length > 0 || direct_subgroups.length > 1) return { direct_members, direct_subgroups };
    return only ?? nobody;
  }

  #idsOf = (zulipIds: readonly number[]) => [...new Set(zulipIds.flatMap((zulipId) => this.#ids.get(zulipId) ?? []))];

  #groupOf(group: ZulipGroup & { id: number }, names: UniqueNames, report: ImportReport): Group {
    const clean = allowedName(group.name).replace(/^(role:|@)/, "") || `group ${group.id}`;
    const name = names.take(clean, limits.groupNameLength);
    if (name !== group.name) report.lacks("groups under another name", 1, `${group.name} → ${name}`);
    report.comes(group.deactivated ? "deactivated groups" : "groups");
    const members = this.#people.idsOf(this.#members.get(group.id) ?? []);
    const creatorId = this.#people.idOf(group.creator) ?? null;
    const defaults = defaultGroupSettings(creatorId);
    return {
      id: this.#ids.get(group.id) as number,
      name,
      description: truncate(group.description.toWellFormed().trim(), limits.groupDescriptionLength, "…"),
      createdAt: group.date_created === undefined ? null : Math.floor(group.date_created),
      creatorId,
      ...(members.length > 0 && { members: new Set(members) }),
      subgroupIds: this.#idsOf(this.#subgroups.get(group.id) ?? []),
      isSystem: false,
      deactivated: group.deactivated,
      settings: {
        canAddMembersGroup: this.settingOf(group.can_add_members_group) ?? defaults.canAddMembersGroup,
        canJoinGroup: this.settingOf(group.can_join_group) ?? defaults.canJoinGroup,
        canLeaveGroup: this.settingOf(group.can_leave_group) ?? defaults.canLeaveGroup,
        canManageGroup: this.settingOf(group.can_manage_group) ?? defaults.canManageGroup,
        canMentionGroup: this.settingOf(group.can_mention_group) ?? defaults.canMentionGroup,
        canRemoveMembersGroup: this.settingOf(group.can_remove_members_group) ?? defaults.canRemoveMembersGroup,
      },
    };
  }
}

const grouped = (pairs: [number, number][]): Map<number, number[]> =>
  new Map([...Map.groupBy(pairs, ([key]) => key)].map(([key, values]) => [key, values.map(([, value]) => value)]));

/** Leaves out what closes a circle. Without recursion, because the nesting may be deep. */
function withoutCycles(graph: Map<number, number[]>, onCycle: () => void): Map<number, number[]> {
  const kept = new Map<number, number[]>();
  const states = new Map<number, "open" | "done">();
  for (const root of graph.keys()) {
    if (states.has(root)) continue;
    const path: { node: number; next: number }[] = [{ node: root, next: 0 }];
    states.set(root, "open");
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const child = graph.get(step.node)?.[step.next++];
      if (child === undefined) {
        states.set(step.node, "done");
        path.pop();
      } else if (states.get(child) === "open") onCycle();
      else {
        const children = kept.get(step.node);
        if (children) children.push(child);
        else kept.set(step.node, [child]);
        if (states.has(child)) continue;
        states.set(child, "open");
        path.push({ node: child, next: 0 });
      }
    }
  }
  return kept;
}
