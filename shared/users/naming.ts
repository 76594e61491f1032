import { realmPermissionRules } from "../groups/permission-rules.ts";
import { shownSettings } from "../groups/settings.ts";
import type { GroupSetting } from "../groups/values.ts";
import { wireSettings } from "../groups/wire.ts";
import type { Realm } from "../organization/access.ts";
import { findChannels, listChannels } from "../store/channels.ts";
import { findGroups, listGroups } from "../store/groups.ts";
import type { LoggedEvent } from "../store/log.ts";

/**
 * Permission settings that name a user among their `direct_members`: with a deactivation the user leaves them as they
 * are shown, and comes back with a reactivation (2.1). The log says once which settings these are; clients are told
 * each setting's new value.
 */
interface Named {
  id: number;
  settings: string[];
}

const namesIn = (settings: Record<string, GroupSetting>, userId: number) =>
  Object.keys(settings).filter((name) => {
    const value = settings[name];
    return typeof value === "object" && value.direct_members.includes(userId);
  });

/** Settings of one entry in the log: each becomes an event at most, of which a place holds 128. */
const settingsAtOnce = 100;

/** What the log is to hold of the settings that name a user; reads all channels and groups. Usually one entry, or none. */
export async function namingEvents(userId: number, { settings }: Realm): Promise<LoggedEvent[]> {
  const [channels, groups] = await Promise.all([listChannels(), listGroups()]);
  const permissions = Object.fromEntries(
    Object.keys(realmPermissionRules).map((name) => [name, settings[name as keyof typeof realmPermissionRules]]),
  );
  const ofRealm = namesIn(permissions, userId);
  const named = (id: number, own: Record<string, GroupSetting>): Named[] => {
    const names = namesIn(own, userId);
    return names.length > 0 ? [{ id, settings: names }] : [];
  };
  const ofChannels = channels.flatMap((channel) => named(channel.id, { ...channel.permissions }));
  const ofGroups = groups.flatMap((group) => named(group.id, wireSettings(group.settings)));
  const entries = [...entriesOf("channels", ofChannels), ...entriesOf("groups", ofGroups)];
  if (ofRealm.length > 0) entries.unshift({ realm: ofRealm });
  return entries.map((entry) => ({ audience: { kind: "everyone" }, event: { type: "settings_naming", ...entry } }));
}

function entriesOf(kind: "channels" | "groups", all: readonly Named[]): Record<string, unknown>[] {
  const entries: Named[][] = [];
  let room = 0;
  for (const one of all) {
    if (one.settings.length > room) {
      entries.push([]);
      room = settingsAtOnce;
    }
    entries.at(-1)?.push(one);
    room -= one.settings.length;
  }
  return entries.map((some) => ({ [kind]: some }));
}

/** The values that such an entry's settings have now, as they are shown. */
export interface NamedValues {
  realm: Record<string, GroupSetting>;
  channels: { id: number; name: string; settings: Record<string, GroupSetting> }[];
  groups: { id: number; settings: Record<string, GroupSetting> }[];
}

/** Reads the settings that an entry names. */
export async function namedValues(event: LoggedEvent["event"], realm: Realm): Promise<NamedValues> {
  const [ofRealm, ofChannels, ofGroups] = [event.realm ?? [], event.channels ?? [], event.groups ?? []] as [
    string[],
    Named[],
    Named[],
  ];
  const [channels, groups] = await Promise.all([
    findChannels(ofChannels.map(({ id }) => id)),
    findGroups(ofGroups.map(({ id }) => id)),
  ]);
  const picked = (settings: object, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, (settings as Record<string, GroupSetting>)[name] as GroupSetting]));
  const found: NamedValues = {
    realm: picked(realm.settings, ofRealm),
    channels: ofChannels.flatMap(({ id, settings }, index) => {
      const channel = channels[index];
      return channel ? [{ id, name: channel.name, settings: picked(channel.permissions, settings) }] : [];
    }),
    groups: ofGroups.flatMap(({ id, settings }, index) => {
      const group = groups[index];
      return group ? [{ id, settings: picked(wireSettings(group.settings), settings) }] : [];
    }),
  };
  const holders = [found.realm, ...[...found.channels, ...found.groups].map(({ settings }) => settings)];
  const show = await shownSettings(
    holders.flatMap((settings) => Object.values(settings)),
    realm.usersVersion,
  );
  for (const settings of holders) for (const [name, value] of Object.entries(settings)) settings[name] = show(value);
  return found;
}
