import { toClientBotEvents } from "../bots/client-events.ts";
import { toClientChannelEvents } from "../channels/channel-events.ts";
import type { SubscriptionOptions } from "../channels/state.ts";
import { channelVisibilityEvents } from "../channels/visibility.ts";
import type { Caller } from "../identity/caller.ts";
import { mutedUsersState } from "../muted-users/muted-users.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import type { ClientEvent, LogEvent, LogEventOf } from "../schema/event-types.ts";
import type { Role } from "../schema/roles.ts";
import { fullMembers } from "../schema/system-groups.ts";
import { channelPermissionNames, listChannels } from "../store/channels/channels.ts";
import { findGroupGraph } from "../store/organization/groups.ts";
import { listUsers } from "../store/users/users.ts";
import { mayChangePermissions, membershipsAfter } from "../user-groups/memberships.ts";
import { systemGroupMembers } from "../user-groups/state.ts";
import { mutedTopicsState } from "../user-topics/state.ts";
import { type ListedSettings, readListedSettings } from "../users/settings-naming-user.ts";
import type { QueuedEvent } from "./event-types.ts";
import type { AddressedEvent } from "./readers.ts";
import { sharedRead } from "./shared-reads.ts";

/** Derives client events from entries of other types, which clients may not even know. */

interface EventReader {
  caller: Caller;
  realm: Realm;
  view: SubscriptionOptions;
  /** All entries of the batch that is being converted. */
  among: readonly AddressedEvent[];
}

/** The current values of the settings that name a user. Reads the organization again, because the entry changed it. */
async function toNamingSettingEvents(
  event: LogEventOf<"settings_naming">,
  sequence: number,
  { caller, view }: EventReader,
): Promise<ClientEvent[]> {
  const [realm, values] = await sharedRead(`naming ${sequence}`, 1000, async (): Promise<[Realm, ListedSettings]> => {
    const fresh = await accessRealm();
    return [fresh, await readListedSettings(event, fresh)];
  });
  const updates = values.channels.flatMap(({ id, name, settings }) =>
    channelPermissionNames.flatMap((property): LogEventOf<"stream">[] => {
      const value = settings[property];
      return value === undefined ? [] : [{ type: "stream", op: "update", stream_id: id, name, property, value }];
    }),
  );
  const shown = await Promise.all(updates.map((update) => toClientChannelEvents(update, { caller, realm, view })));
  const realmUpdate: ClientEvent = { type: "realm", op: "update_dict", property: "default", data: values.realm };
  return [
    ...(Object.keys(values.realm).length > 0 ? [realmUpdate] : []),
    ...shown.flat(),
    ...values.groups.map(
      ({ id, settings }): ClientEvent => ({ type: "user_group", op: "update", group_id: id, data: settings }),
    ),
  ];
}

/** Whether an entry changes after how many days users become full members. */
const changesFullMembers = (event: LogEvent) =>
  event.type === "realm" && event.op === "update_dict" && "waiting_period_threshold" in event.data;

/** Who is a full member now, and who is not: stated for all members, because the entry does not say who was. */
async function fullMemberEvents(event: LogEvent, sequence: number): Promise<ClientEvent[]> {
  if (!changesFullMembers(event)) return [];
  const [realm, users] = await sharedRead(`members ${sequence}`, 1000, () => Promise.all([accessRealm(), listUsers()]));
  const { waiting_period_threshold: days } = realm.settings;
  const full = systemGroupMembers(fullMembers, users, days);
  const others = systemGroupMembers(fullMembers, users, 0).filter((id) => !full.includes(id));
  return [
    { type: "user_group", op: "add_members", group_id: fullMembers, user_ids: full } as const,
    { type: "user_group", op: "remove_members", group_id: fullMembers, user_ids: others } as const,
  ].filter(({ user_ids }) => user_ids.length > 0);
}

/** The channels, read once for all queues that an entry concerns. */
const channelsAt = (sequence: number) => sharedRead(`channels ${sequence}`, 1000, listChannels);

async function toRoleChangeEvents(
  { before, after }: LogEventOf<"role_change">,
  sequence: number,
  reader: EventReader,
): Promise<ClientEvent[]> {
  const [channels, { subgroups }] = await Promise.all([channelsAt(sequence), findGroupGraph()]);
  const { groupIds, role } = reader.caller;
  const membershipsAs = (assumedRole: Role) => ({ groupIds, subgroups, role: assumedRole });
  // A caller who was authenticated before the change still has the old role.
  const current = role === before ? after : role;
  return channelVisibilityEvents(
    [membershipsAs(before), membershipsAs(after), membershipsAs(current)],
    channels,
    reader,
  );
}

/** A group's change, and the channels that become visible or invisible to users whose permissions change with it. */
async function toGroupChangeEvents(
  event: LogEventOf<"user_group">,
  logged: AddressedEvent,
  reader: EventReader,
): Promise<QueuedEvent[]> {
  const { caller, among } = reader;
  const [channels, { subgroups }] = await Promise.all([channelsAt(logged.sequence), findGroupGraph()]);
  const index = among.indexOf(logged);
  const stateAfter = (count: number) => ({
    role: caller.role,
    ...membershipsAfter(count, among, caller.id, { groupIds: caller.groupIds, subgroups }),
  });
  return [
    event,
    ...(await channelVisibilityEvents(
      [stateAfter(index), stateAfter(index + 1), stateAfter(among.length)],
      channels,
      reader,
    )),
  ];
}

/**
 * The types of the client events that an entry becomes for a user, where neither its own type nor its audience tells them;
 * undefined otherwise.
 */
export function derivedTypes(event: LogEvent, userId: number): readonly ClientEvent["type"][] | undefined {
  if (event.type === "settings_naming") return ["realm", "stream", "user_group"];
  if (event.type === "subscription" && event.op !== "update" && event.user_ids.includes(userId))
    return ["subscription", "update_message_flags"];
  if (event.type === "role_change") return ["stream", "subscription"];
  if (changesFullMembers(event)) return ["realm", "user_group"];
  if (event.type === "update_message" && event.new_stream_id !== undefined)
    return ["update_message", "update_message_flags"];
  return mayChangePermissions({ event }, userId) ? ["user_group", "stream", "subscription"] : undefined;
}

/** The client events that an entry becomes for a user: usually its own event alone. */
export async function toClientEvents(logged: AddressedEvent, reader: EventReader): Promise<QueuedEvent[]> {
  const { event, sequence } = logged;
  switch (event.type) {
    case "settings_naming":
      return toNamingSettingEvents(event, sequence, reader);
    case "role_change":
      return toRoleChangeEvents(event, sequence, reader);
    case "user_group":
      return mayChangePermissions(logged, reader.caller.id) ? toGroupChangeEvents(event, logged, reader) : [event];
    case "realm":
      return [event, ...(await fullMemberEvents(event, sequence))];
    case "stream":
      return toClientChannelEvents(event, reader);
    case "subscription":
      return event.op === "update" ? [event] : toClientChannelEvents(event, reader);
    case "realm_bot":
      return toClientBotEvents(event);
    // Lists as they are now: when two requests change a list at once, neither event's own list need have the other's change.
    case "muted_users":
      return [{ ...event, ...(await mutedUsersState(reader.caller)) }];
    case "muted_topics":
      return [{ ...event, ...(await mutedTopicsState(reader.caller)) }];
    // `showEvents` renders messages itself, and a no-op (`silence`) has no event.
    case "message":
    case "silence":
      return [];
    default:
      return [event];
  }
}
