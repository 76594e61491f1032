import type { GroupSetting } from "../../base/schema/group-setting.ts";
import type { Realm } from "../../services/organization/access.ts";
import { realmPermissionRules } from "../../services/permissions/permission-rules.ts";
import { type ChannelPermissions, findChannels, listChannels } from "../../store/channels/channels.ts";
import { eventForEveryone, type LoggedEvent } from "../../store/log/entry.ts";
import { findGroups, listGroups } from "../../store/organization/groups.ts";
import { loadVisibleSettings } from "../user-groups/settings.ts";
import { toGroupSettingsWire } from "../user-groups/wire.ts";
import type { SettingsListingUserEvent } from "./event-types.ts";

/**
 * Permission settings with a user among their `direct_members`. Deactivated users are hidden from these, so a
 * deactivation or reactivation changes the settings' visible values. The log lists the affected settings in
 * entries of limited size, from which each client gets one event per setting.
 */

type Entry = Omit<SettingsListingUserEvent, "type">;
type RealmPermission = NonNullable<Entry["realm"]>[number];

const settingsThatList = <Name extends string>(settings: Record<Name, GroupSetting>, userId: number) =>
  (Object.keys(settings) as Name[]).filter((name) => {
    const value: GroupSetting = settings[name];
    return typeof value === "object" && value.direct_members.includes(userId);
  });

/** Settings per log entry: each becomes an event, and a sequence number has room for 128. */
const maxSettingsPerEntry = 100;

/** The logged events for all settings that list a user; usually one or none. Reads all channels and groups. */
export async function settingsListingEvents(userId: number, { settings }: Realm): Promise<LoggedEvent[]> {
  const [channels, groups] = await Promise.all([listChannels(), listGroups()]);
  const realmSettings = settingsThatList(
    pick(settings, Object.keys(realmPermissionRules) as RealmPermission[]),
    userId,
  );
  const channelSettings = channels.map(({ id, permissions }) => ({
    id,
    settings: settingsThatList({ ...permissions }, userId),
  }));
  const groupSettings = groups.map((group) => ({
    id: group.id,
    settings: settingsThatList(toGroupSettingsWire(group.settings), userId),
  }));
  const entries: Entry[] = [
    ...(realmSettings.length > 0 ? [{ realm: realmSettings }] : []),
    ...splitIntoEntries(channelSettings).map((channelsOfEntry) => ({ channels: channelsOfEntry })),
    ...splitIntoEntries(groupSettings).map((groupsOfEntry) => ({ groups: groupsOfEntry })),
  ];
  return entries.map((entry) => eventForEveryone({ type: "settings_naming", ...entry }));
}

/** Splits objects whose settings list the user into entries of limited size. */
function splitIntoEntries<N extends { settings: string[] }>(objects: readonly N[]): N[][] {
  const entries: N[][] = [];
  let remaining = 0;
  for (const object of objects) {
    if (object.settings.length === 0) continue;
    if (object.settings.length > remaining) {
      entries.push([]);
      remaining = maxSettingsPerEntry;
    }
    entries.at(-1)?.push(object);
    remaining -= object.settings.length;
  }
  return entries;
}

const pick = <Name extends string>(settings: Record<Name, GroupSetting>, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, settings[name]])) as Record<Name, GroupSetting>;

/** The current visible values of an entry's settings. */
export interface ListedSettings {
  realm: Partial<Record<RealmPermission, GroupSetting>>;
  channels: { id: number; name: string; settings: Partial<ChannelPermissions> }[];
  groups: { id: number; settings: Partial<ReturnType<typeof toGroupSettingsWire>> }[];
}

/** Reads the visible values of the settings in an entry. */
export async function readListedSettings(event: SettingsListingUserEvent, realm: Realm): Promise<ListedSettings> {
  const { realm: realmSettings = [], channels: channelSettings = [], groups: groupSettings = [] } = event;
  const [channels, groups] = await Promise.all([
    findChannels(channelSettings.map(({ id }) => id)),
    findGroups(groupSettings.map(({ id }) => id)),
  ]);
  const listed: ListedSettings = {
    realm: pick(realm.settings, realmSettings),
    channels: channelSettings.flatMap(({ id, settings }, index) => {
      const channel = channels[index];
      return channel ? [{ id, name: channel.name, settings: pick({ ...channel.permissions }, settings) }] : [];
    }),
    groups: groupSettings.flatMap(({ id, settings }, index) => {
      const group = groups[index];
      return group ? [{ id, settings: pick(toGroupSettingsWire(group.settings), settings) }] : [];
    }),
  };
  const settingsByObject: Record<string, GroupSetting | undefined>[] = [
    listed.realm,
    ...[...listed.channels, ...listed.groups].map(({ settings }) => settings),
  ];
  const toVisible = await loadVisibleSettings(
    settingsByObject.flatMap((settings) => Object.values(settings).filter((value) => value !== undefined)),
    realm.usersVersion,
  );
  for (const settings of settingsByObject)
    for (const [name, value] of Object.entries(settings)) if (value !== undefined) settings[name] = toVisible(value);
  return listed;
}
