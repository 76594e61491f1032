import type { GroupSetting } from "../../base/schema/group-setting.ts";
import { permissionSettings, type RealmSettings } from "../../base/schema/organization-settings.ts";
import type { Channel } from "../../store/channels/channels.ts";
import type { Group, GroupGraph } from "../../store/organization/groups.ts";
import { toGroupSettingsWire } from "./wire.ts";

/** A use of a group, which prevents its deactivation. See https://zulip.com/api/deactivate-user-group. */
type Objection =
  | { type: "realm"; settings: string[] }
  | { type: "channel"; channel_id: number; settings: string[] }
  | { type: "user_group"; group_id: number; settings: string[] }
  | { type: "subgroup"; supergroup_ids: number[] };

const referencesGroup = (id: number, value: GroupSetting) =>
  typeof value === "number" ? value === id : value.direct_subgroups.includes(id);

const settingsReferencing = (id: number, settings: Record<string, GroupSetting>) =>
  Object.keys(settings).filter((name) => referencesGroup(id, settings[name] as GroupSetting));

/** All uses of a group in permissions or as a subgroup; its own permissions do not count. */
export function findUsages(
  id: number,
  realm: RealmSettings,
  channels: readonly Channel[],
  groups: readonly Group[],
  graph: GroupGraph,
): Objection[] {
  const permissions = Object.fromEntries(
    Object.keys(permissionSettings).map((name) => [name, realm[name as keyof typeof permissionSettings]]),
  );
  const realmSettings = settingsReferencing(id, permissions);
  const supergroups = Object.entries(graph.subgroups).filter(([, subgroups]) => subgroups.includes(id));
  return [
    ...(realmSettings.length > 0 ? [{ type: "realm" as const, settings: realmSettings }] : []),
    ...channels.flatMap((channel) => {
      const settings = settingsReferencing(id, { ...channel.permissions });
      return settings.length > 0 ? [{ type: "channel" as const, channel_id: channel.id, settings }] : [];
    }),
    ...groups
      .filter((group) => group.id !== id)
      .flatMap((group) => {
        const settings = settingsReferencing(id, toGroupSettingsWire(group.settings));
        return settings.length > 0 ? [{ type: "user_group" as const, group_id: group.id, settings }] : [];
      }),
    ...(supergroups.length > 0
      ? [{ type: "subgroup" as const, supergroup_ids: supergroups.map(([supergroup]) => Number(supergroup)) }]
      : []),
  ];
}
