import { showChannelEvent } from "../channels/feed.ts";
import type { RoleChange } from "../channels/role-feed.ts";
import { showSightChange } from "../channels/sight.ts";
import type { SubscriptionView } from "../channels/state.ts";
import { changesTies, tiesAfter } from "../groups/ties.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { listChannels } from "../store/channels.ts";
import { findGroupGraph } from "../store/groups.ts";
import type { LoggedEvent } from "../store/log.ts";
import type { Caller } from "../users/caller.ts";
import { type NamedValues, namedValues } from "../users/naming.ts";
import type { Role } from "../users/roles.ts";
import type { PlacedEvent } from "./client-events.ts";
import { sharedRead } from "./shared-reads.ts";

/** Entries of the log that become events of other types than their own, which clients may not even know. */

type Event = LoggedEvent["event"];
interface Reader {
  caller: Caller;
  realm: Realm;
  view: SubscriptionView;
  /** The entries of the log among which the shown one was read. */
  among: readonly PlacedEvent[];
}

interface Derived {
  /** The types of the events that it becomes. */
  types: readonly string[];
  show(logged: PlacedEvent, reader: Reader): Promise<Event[]>;
}

/** Users' activity has just changed: the organization is read anew, since what is known of users depends on it. */
async function showNaming({ event, place }: PlacedEvent, { caller, view }: Reader): Promise<Event[]> {
  const [realm, values] = await sharedRead(`naming ${place}`, 1000, async (): Promise<[Realm, NamedValues]> => {
    const fresh = await accessRealm();
    return [fresh, await namedValues(event, fresh)];
  });
  const updates = values.channels.flatMap(({ id, name, settings }) =>
    Object.entries(settings).map(([property, value]) => ({
      type: "stream",
      op: "update",
      stream_id: id,
      name,
      property,
      value,
    })),
  );
  const shown = await Promise.all(
    updates.map((update) =>
      showChannelEvent(
        { audience: { kind: "channelViewers", channelId: update.stream_id }, event: update },
        { caller, realm, view },
      ),
    ),
  );
  return [
    ...(Object.keys(values.realm).length > 0
      ? [{ type: "realm", op: "update_dict", property: "default", data: values.realm }]
      : []),
    ...shown.flat(),
    ...values.groups.map(({ id, settings }) => ({ type: "user_group", op: "update", group_id: id, data: settings })),
  ];
}

/** Channels as of a moment ago: all whom an entry concerns look at them together. */
const channelsAt = (place: number) => sharedRead(`channels ${place}`, 1000, listChannels);

async function showRoleChange({ event, place }: PlacedEvent, reader: Reader): Promise<Event[]> {
  const { before, after } = event as Event & RoleChange;
  const [channels, { subgroups }] = await Promise.all([channelsAt(place), findGroupGraph()]);
  const { groupIds, role } = reader.caller;
  const as = (one: Role) => ({ groupIds, subgroups, role: one });
  // A caller who was authenticated before the change has it in front of them.
  const current = role === before ? after : role;
  return showSightChange([as(before), as(after), as(current)], channels, reader);
}

/** A group's change, and what comes into sight or goes out of it for those whose permissions change with it. */
async function showGroupChange(logged: PlacedEvent, reader: Reader): Promise<Event[]> {
  const { caller, among } = reader;
  const [channels, { subgroups }] = await Promise.all([channelsAt(logged.place), findGroupGraph()]);
  const index = among.indexOf(logged);
  const at = (count: number) => ({
    role: caller.role,
    ...tiesAfter(count, among, caller.id, { groupIds: caller.groupIds, subgroups }),
  });
  return [logged.event, ...(await showSightChange([at(index), at(index + 1), at(among.length)], channels, reader))];
}

const derived: Record<string, Derived> = {
  settings_naming: { types: ["realm", "stream", "user_group"], show: showNaming },
  role_change: { types: ["stream", "subscription"], show: showRoleChange },
};
const groupChange: Derived = { types: ["user_group", "stream", "subscription"], show: showGroupChange };

/** What an entry of the log becomes for a user; undefined when it is told as it is. */
export const derivedFrom = (event: Event, userId: number): Derived | undefined =>
  changesTies({ event }, userId) ? groupChange : derived[event.type];
