import type { ClientEvent, LogEvent, LogEventOf } from "../../base/schema/event-types.ts";
import { type Role, roles } from "../../base/schema/roles.ts";
import { fullMembers } from "../../base/schema/system-groups.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { toClientChannelEvents } from "../../core/channels/channel-events.ts";
import { defaultChannelIds, type SubscriptionOptions } from "../../core/channels/state.ts";
import { channelVisibilityEvents } from "../../core/channels/visibility.ts";
import { toSubscriptionSettingsWire } from "../../core/channels/wire.ts";
import { defaultStreamGroupsState } from "../../core/default-streams/groups.ts";
import { realmEmojiState } from "../../core/emoji/wire.ts";
import { mayChangePermissions, membershipsAfter } from "../../core/user-groups/memberships.ts";
import { systemGroupMembers } from "../../core/user-groups/state.ts";
import { userTopicChangedEvent } from "../../core/user-topics/events.ts";
import { mutedTopicsState } from "../../core/user-topics/state.ts";
import { type ListedSettings, readListedSettings } from "../../core/users/settings-naming-user.ts";
import { findEffectiveSettings } from "../../core/users/state.ts";
import { toSettingEvent } from "../../core/users/status-actions.ts";
import { type Caller, isAdministrator, isGuest } from "../../services/identity/caller.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { type ChannelWithStats, channelPermissionNames, listChannels } from "../../store/channels/channels.ts";
import { findSubscription } from "../../store/channels/subscriptions.ts";
import { findUserTopic, listUserTopics, visibilityPolicies } from "../../store/channels/user-topics.ts";
import { findGroupGraph } from "../../store/organization/groups.ts";
import { listBots } from "../../store/users/bots.ts";
import { listUsers } from "../../store/users/users.ts";
import { botEventsOfRole, defaultChannelsEvents, toClientBotEvents } from "../bots/client-events.ts";
import { mutedUsersState } from "../muted-users/muted-users.ts";
import type { QueuedEvent } from "./event-types.ts";
import { legacySettingEvent } from "./legacy-settings.ts";
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
    const fresh = await loadRealm();
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

/** Whether an entry says that the user has become a full member by the time that has passed. */
const endsWaitingOf = (event: LogEvent, userId: number) =>
  event.type === "user_group" &&
  event.op === "add_members" &&
  event.waited_days !== undefined &&
  event.user_ids.includes(userId);

/** The channels that appear or disappear for a member whose waiting period is another, or has ended. */
async function toWaitingEvents(
  [before, after]: readonly [number, number],
  logged: AddressedEvent,
  reader: EventReader,
): Promise<ClientEvent[]> {
  const { role, joinedAt, groupIds } = reader.caller;
  const hasWaited = (days: number) => nowSeconds() - joinedAt >= days * secondsPerDay;
  if (role !== roles.member || hasWaited(before) === hasWaited(after)) return [];
  const [channels, { subgroups }] = await Promise.all([channelsAt(logged.sequence), findGroupGraph()]);
  const memberships = { role, groupIds, subgroups };
  return channelVisibilityEvents(
    [{ ...memberships, waitingDays: before }, { ...memberships, waitingDays: after }, memberships],
    channels,
    { ...reader, subscribedThen: subscribedAt(logged, reader) },
  );
}

/** A change of settings, and who becomes a full member by it or no longer is one. */
async function toRealmEvents(
  change: LogEventOf<"realm">,
  logged: AddressedEvent,
  reader: EventReader,
): Promise<QueuedEvent[]> {
  if (change.op !== "update_dict" || change.property !== "default") return [change];
  const { former_waiting_period: formerDays, ...event } = change;
  if (formerDays === undefined) return [event];
  const [realm, users] = await sharedRead(`members ${logged.sequence}`, 1000, () =>
    Promise.all([loadRealm(), listUsers()]),
  );
  const before = systemGroupMembers(fullMembers, users, formerDays);
  const days = event.data.waiting_period_threshold ?? realm.settings.waiting_period_threshold;
  const after = systemGroupMembers(fullMembers, users, days);
  const added = [...new Set(after).difference(new Set(before))];
  const removed = [...new Set(before).difference(new Set(after))];
  return [
    event,
    ...[
      { type: "user_group", op: "add_members", group_id: fullMembers, user_ids: added } as const,
      { type: "user_group", op: "remove_members", group_id: fullMembers, user_ids: removed } as const,
    ].filter(({ user_ids }) => user_ids.length > 0),
    ...(await toWaitingEvents([formerDays, days], logged, reader)),
  ];
}

/** To which channels the user was subscribed at an entry, or not, where later entries of the batch say that it is otherwise now. */
function subscribedAt(logged: AddressedEvent, { among, caller }: EventReader): ReadonlyMap<number, boolean> {
  const then = new Map<number, boolean>();
  for (const { event } of among.slice(among.indexOf(logged) + 1))
    if (event.type === "subscription" && event.op !== "update" && event.user_ids.includes(caller.id))
      if (!then.has(event.stream_id)) then.set(event.stream_id, event.op === "leave");
  return then;
}

/** The user's role at an entry, where other entries of the batch change it; undefined where none does. */
function roleAt(logged: AddressedEvent, { among, caller }: EventReader): Role | undefined {
  const index = among.indexOf(logged);
  const isOwn = ({ event, audience }: AddressedEvent) =>
    event.type === "role_change" && audience.kind === "users" && audience.userIds.includes(caller.id);
  const [earlier, later] = [among.slice(0, index).findLast(isOwn)?.event, among.slice(index + 1).find(isOwn)?.event];
  if (later?.type === "role_change") return later.before;
  return earlier?.type === "role_change" ? earlier.after : undefined;
}

/** The channels, read once for all queues that an entry concerns. */
const channelsAt = (sequence: number) => sharedRead(`channels ${sequence}`, 1000, listChannels);

/** The lists that guests do not see. */
const defaultsFor = async (
  caller: Pick<Caller, "role">,
  channels: readonly ChannelWithStats[],
): Promise<ClientEvent[]> => [
  { type: "default_streams", default_streams: isGuest(caller) ? [] : defaultChannelIds(channels) },
  { type: "default_stream_groups", default_stream_groups: await defaultStreamGroupsState(caller) },
];

async function toRoleChangeEvents(
  roles: LogEventOf<"role_change">,
  logged: AddressedEvent,
  reader: EventReader,
): Promise<ClientEvent[]> {
  const { before, after } = roles;
  const [channels, { subgroups }] = await Promise.all([channelsAt(logged.sequence), findGroupGraph()]);
  const { groupIds, role } = reader.caller;
  const membershipsAs = (assumedRole: Role) => ({ groupIds, subgroups, role: assumedRole });
  // A caller who was authenticated before the change still has the old role.
  const current = role === before ? after : role;
  return [
    ...(await channelVisibilityEvents([membershipsAs(before), membershipsAs(after), membershipsAs(current)], channels, {
      ...reader,
      subscribedThen: subscribedAt(logged, reader),
    })),
    ...(await botEventsOfRole(reader.caller, roles)),
    ...(isGuest({ role: before }) === isGuest({ role: after }) ? [] : await defaultsFor({ role: after }, channels)),
  ];
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
    ...(await channelVisibilityEvents([stateAfter(index), stateAfter(index + 1), stateAfter(among.length)], channels, {
      ...reader,
      subscribedThen: subscribedAt(logged, reader),
    })),
  ];
}

/**
 * The types of the client events that an entry becomes for a user, where neither its own type nor its audience tells them;
 * undefined otherwise.
 */
export function derivedTypes(event: LogEvent, userId: number): readonly ClientEvent["type"][] | undefined {
  if (event.type === "settings_naming") return ["realm", "stream", "user_group"];
  if (event.type === "subscription" && event.op !== "update" && event.user_ids.includes(userId))
    return ["subscription", "update_message_flags", ...channelNamingTypes];
  if (event.type === "user_settings")
    return ["user_settings", "update_display_settings", "update_global_notifications"];
  if (event.type === "role_change")
    return [
      "update_message_flags",
      "realm_user",
      "stream",
      "subscription",
      ...channelNamingTypes,
      "default_streams",
      "default_stream_groups",
    ];
  if (changesFullMembers(event)) return ["realm", "user_group", "stream", "subscription", ...channelNamingTypes];
  if (endsWaitingOf(event, userId) || mayChangePermissions({ event }, userId))
    return ["user_group", "stream", "subscription", "update_message_flags", ...channelNamingTypes];
  if (event.type === "update_message" && event.new_stream_id !== undefined)
    return ["update_message", "update_message_flags"];
  return undefined;
}

/** A user's own setting of a channel. */
async function toOwnChange(event: LogEventOf<"subscription"> & { op: "update" }, { caller }: EventReader) {
  const subscription = await findSubscription(caller.id, event.stream_id);
  const value = subscription && toSubscriptionSettingsWire(subscription)[event.property];
  return value === undefined || value === null ? event : ({ ...event, value } as typeof event);
}

/** A user's own setting as it is now, in both forms; `shapesFor` leaves the older one out for clients that do not need it. */
async function toSettingEvents({ property }: LogEventOf<"user_settings">, caller: Caller): Promise<ClientEvent[]> {
  const event = toSettingEvent(property, (await findEffectiveSettings(caller.id))[property]);
  const legacy = legacySettingEvent(event, caller.email);
  return legacy ? [event, legacy] : [event];
}

async function currentPolicy(event: LogEventOf<"user_topic">, caller: Caller): Promise<LogEventOf<"user_topic">> {
  const stored = await findUserTopic(caller.id, event.stream_id, event.topic_name);
  if (!stored) return { ...event, visibility_policy: visibilityPolicies.none };
  // The topic was renamed, and only its case is another: this event ends the former spelling.
  return stored.topic === event.topic_name ? userTopicChangedEvent(stored) : event;
}

/** Whether an entry changes what a user is permitted in several channels: their role or groups. */
export const changesPermissions = (event: LogEvent, userId: number): boolean =>
  event.type === "role_change" || endsWaitingOf(event, userId) || mayChangePermissions({ event }, userId);

/** The client events that an entry becomes for a user: usually its own event alone. */
export async function toClientEvents(logged: AddressedEvent, reader: EventReader): Promise<QueuedEvent[]> {
  const { event, sequence } = logged;
  switch (event.type) {
    case "settings_naming":
      return toNamingSettingEvents(event, sequence, reader);
    case "role_change":
      return toRoleChangeEvents(event, logged, reader);
    case "user_group":
      if (event.op === "add_members" && event.waited_days !== undefined) {
        const { waited_days: days, ...added } = event;
        const isOwn = endsWaitingOf(event, reader.caller.id);
        return [added, ...(isOwn ? await toWaitingEvents([Number.POSITIVE_INFINITY, days], logged, reader) : [])];
      }
      return mayChangePermissions(logged, reader.caller.id) ? toGroupChangeEvents(event, logged, reader) : [event];
    case "realm":
      return toRealmEvents(event, logged, reader);
    case "stream":
      return toClientChannelEvents(event, reader);
    case "subscription":
      return event.op === "update"
        ? [await toOwnChange(event, reader)]
        : toClientChannelEvents(event, { ...reader, roleThen: roleAt(logged, reader) });
    case "realm_bot":
      return toClientBotEvents(event, reader.caller);
    // Lists and values as they are now: of two requests that change one at the same moment, neither event's own list need have the
    // other's change, and the values may have been written in the other order than the events.
    case "muted_users":
      return [{ ...event, ...(await mutedUsersState(reader.caller)) }];
    case "muted_topics":
      return [{ ...event, ...(await mutedTopicsState(reader.caller)) }];
    case "realm_emoji":
      return [{ ...event, ...(await sharedRead(`emoji ${sequence}`, 1000, realmEmojiState)) }];
    case "default_streams":
      return [{ ...event, default_streams: defaultChannelIds(await channelsAt(sequence)) }];
    case "user_settings":
      return toSettingEvents(event, reader.caller);
    case "user_topic":
      return [await currentPolicy(event, reader.caller)];
    case "delete_message": {
      const { ends: _, ...deletion } = event;
      return [deletion];
    }
    // `showEvents` renders messages itself, and a no-op (`silence`) has no event.
    case "message":
    case "silence":
      return [];
    default:
      return [event];
  }
}

/**
 * The types of the events that name channels instead of giving their IDs: muted topics, in the form for older clients, and the default
 * channels of bots. They leave out those that a user may not see, and come back with the access, with the name that the channel then
 * has.
 */
export const channelNamingTypes = ["muted_topics", "realm_bot"] as const;
type NamingType = (typeof channelNamingTypes)[number];

/** Whether another privacy or permission may show or hide a private channel, also one that clients do not know. */
export const changesPrivacy = (event: LogEvent): boolean =>
  event.type === "stream" && "is" in event && (event.property === "invite_only" || event.is?.invite_only === true);

/** Whether an entry that becomes these events may have shown or hidden a channel to which something of the user refers. */
function mayShowOrHide(event: LogEvent, shown: readonly Pick<ClientEvent, "type">[]): boolean {
  // Nothing refers to a new channel yet, and an archived one is as visible as before.
  if (event.type === "stream") return event.op === "update" && changesPrivacy(event);
  return (shown as readonly ClientEvent[]).some((one) => one.type === "stream" && one.op !== "update");
}

/**
 * Tells a client what names channels, if an entry may have shown or hidden some of these, or if the user has other permissions since.
 * Then it costs the lists of the user's policies and of all bots, where the client wants their types.
 */
export async function channelNameEvents(
  event: LogEvent,
  shown: readonly Pick<ClientEvent, "type">[],
  {
    caller,
    sequence,
    hasOtherPermissions,
    isWanted,
  }: { caller: Caller; sequence: number; hasOtherPermissions: boolean; isWanted: (type: NamingType) => boolean },
): Promise<ClientEvent[]> {
  if (!hasOtherPermissions && !mayShowOrHide(event, shown)) return [];
  // A caller who was authenticated before the change still has the old role.
  const role = event.type === "role_change" && caller.role === event.before ? event.after : caller.role;
  const reader = { ...caller, role };
  const mayHaveBots = isWanted("realm_bot") && (event.type === "role_change" || !isAdministrator(reader));
  const [topics, bots] = await Promise.all([
    isWanted("muted_topics") ? listUserTopics(reader.id) : [],
    mayHaveBots ? sharedRead(`bots ${sequence}`, 1000, listBots) : [],
  ]);
  return [
    ...(topics.some(({ policy }) => policy === visibilityPolicies.muted)
      ? [{ type: "muted_topics" as const, ...(await mutedTopicsState(reader)) }]
      : []),
    ...(await defaultChannelsEvents(reader, bots)),
  ];
}
