import { permissionSettings, type RealmSettings } from "../organization/settings.ts";
import type { Channel } from "../store/channels.ts";
import type { Group, GroupGraph } from "../store/groups.ts";
import type { GroupSetting } from "./values.ts";
import { wireSettings } from "./wire.ts";

/** Where a group is in use, so that it cannot be deactivated (companion reference, B 4.5). */
export type Objection =
  | { type: "realm"; settings: string[] }
  | { type: "channel"; channel_id: number; settings: string[] }
  | { type: "user_group"; group_id: number; settings: string[] }
  | { type: "subgroup"; supergroup_ids: number[] };

const names = (id: number, value: GroupSetting) =>
  typeof value === "number" ? value === id : value.direct_subgroups.includes(id);

const settingsNaming = (id: number, settings: Record<string, GroupSetting>) =>
  Object.keys(settings).filter((name) => names(id, settings[name] as GroupSetting));

/** Every use of a group as a permission or as a subgroup; its own permissions do not count. */
export function objectionsTo(
  id: number,
  realm: RealmSettings,
  channels: readonly Channel[],
  groups: readonly Group[],
  graph: GroupGraph,
): Objection[] {
  const permissions = Object.fromEntries(
    Object.keys(permissionSettings).map((name) => [name, realm[name as keyof typeof permissionSettings]]),
  );
  const ofRealm = settingsNaming(id, permissions);
  const supergroups = Object.entries(graph.subgroups).filter(([, subgroups]) => subgroups.includes(id));
  return [
    ...(ofRealm.length > 0 ? [{ type: "realm" as const, settings: ofRealm }] : []),
    ...channels.flatMap((channel) => {
      const settings = settingsNaming(id, { ...channel.permissions });
      return settings.length > 0 ? [{ type: "channel" as const, channel_id: channel.id, settings }] : [];
    }),
    ...groups
      .filter((group) => group.id !== id)
      .flatMap((group) => {
        const settings = settingsNaming(id, wireSettings(group.settings));
        return settings.length > 0 ? [{ type: "user_group" as const, group_id: group.id, settings }] : [];
      }),
    ...(supergroups.length > 0
      ? [{ type: "subgroup" as const, supergroup_ids: supergroups.map(([supergroup]) => Number(supergroup)) }]
      : []),
  ];
}
