import type { Realm } from "../organization/access.ts";
import { realmPermissionRules } from "../permissions/permission-rules.ts";
import type { GroupSetting } from "../schema/group-setting.ts";
import { type ChannelPermissions, findChannels, listChannels } from "../store/channels/channels.ts";
import { eventForEveryone, type LoggedEvent } from "../store/log/entry.ts";
import { findGroups, listGroups } from "../store/organization/groups.ts";
import { visibleSettings } from "../user-groups/settings.ts";
import { toGroupSettingsWire } from "../user-groups/wire.ts";
import type { SettingsListingUserEvent } from "./event-types.ts";

/**
 * Permission settings with a user among their `direct_members`. Deactivated users are hidden from these, so a
 * deactivation or reactivation changes the settings' visible values. The log lists the affected settings in
 * entries of limited size, from which each client gets one event per setting.
 */
type Entry = Omit<SettingsListingUserEvent, "type">;
type RealmPermission = NonNullable<Entry["realm"]>[number];

const settingsListing = <Name extends string>(settings: Record<Name, GroupSetting>, userId: number) =>
  (Object.keys(settings) as Name[]).filter((name) => {
    const value: GroupSetting = settings[name];
    return typeof value === "object" && value.direct_members.includes(userId);
  });

/** Settings per log entry: each becomes an event, and a sequence number has room for 128. */
const settingsPerEntry = 100;

/** The logged events for all settings that list a user; usually one or none. Reads all channels and groups. */
export async function settingsNamingEvents(userId: number, { settings }: Realm): Promise<LoggedEvent[]> {
  const [channels, groups] = await Promise.all([listChannels(), listGroups()]);
  const ofRealm = settingsListing(pick(settings, Object.keys(realmPermissionRules) as RealmPermission[]), userId);
  const ofChannels = channels.map(({ id, permissions }) => ({
    id,
    settings: settingsListing({ ...permissions }, userId),
  }));
  const ofGroups = groups.map((group) => ({
    id: group.id,
    settings: settingsListing(toGroupSettingsWire(group.settings), userId),
  }));
  const entries: Entry[] = [
    ...(ofRealm.length > 0 ? [{ realm: ofRealm }] : []),
    ...splitIntoEntries(ofChannels).map((some) => ({ channels: some })),
    ...splitIntoEntries(ofGroups).map((some) => ({ groups: some })),
  ];
  return entries.map((entry) => eventForEveryone({ type: "settings_naming", ...entry }));
}

/** Splits objects whose settings list the user into entries of limited size. */
function splitIntoEntries<N extends { settings: string[] }>(all: readonly N[]): N[][] {
  const entries: N[][] = [];
  let remaining = 0;
  for (const one of all) {
    if (one.settings.length === 0) continue;
    if (one.settings.length > remaining) {
      entries.push([]);
      remaining = settingsPerEntry;
    }
    entries.at(-1)?.push(one);
    remaining -= one.settings.length;
  }
  return entries;
}

const pick = <Name extends string>(settings: Record<Name, GroupSetting>, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, settings[name]])) as Record<Name, GroupSetting>;

/** The current visible values of an entry's settings. */
export interface NamedSettings {
  realm: Partial<Record<RealmPermission, GroupSetting>>;
  channels: { id: number; name: string; settings: Partial<ChannelPermissions> }[];
  groups: { id: number; settings: Partial<ReturnType<typeof toGroupSettingsWire>> }[];
}

/** Reads the visible values of the settings in an entry. */
export async function readNamedSettings(event: SettingsListingUserEvent, realm: Realm): Promise<NamedSettings> {
  const { realm: ofRealm = [], channels: ofChannels = [], groups: ofGroups = [] } = event;
  const [channels, groups] = await Promise.all([
    findChannels(ofChannels.map(({ id }) => id)),
    findGroups(ofGroups.map(({ id }) => id)),
  ]);
  const found: NamedSettings = {
    realm: pick(realm.settings, ofRealm),
    channels: ofChannels.flatMap(({ id, settings }, index) => {
      const channel = channels[index];
      return channel ? [{ id, name: channel.name, settings: pick({ ...channel.permissions }, settings) }] : [];
    }),
    groups: ofGroups.flatMap(({ id, settings }, index) => {
      const group = groups[index];
      return group ? [{ id, settings: pick(toGroupSettingsWire(group.settings), settings) }] : [];
    }),
  };
  const settingsByObject: Record<string, GroupSetting | undefined>[] = [
    found.realm,
    ...[...found.channels, ...found.groups].map(({ settings }) => settings),
  ];
  const show = await visibleSettings(
    settingsByObject.flatMap((settings) => Object.values(settings).filter((value) => value !== undefined)),
    realm.usersVersion,
  );
  for (const settings of settingsByObject)
    for (const [name, value] of Object.entries(settings)) if (value !== undefined) settings[name] = show(value);
  return found;
}
