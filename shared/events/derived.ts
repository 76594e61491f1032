import { showChannelEvent } from "../channels/feed.ts";
import { type RoleChange, showRoleChange } from "../channels/role-feed.ts";
import type { SubscriptionView } from "../channels/state.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import type { LoggedEvent } from "../store/log.ts";
import type { Caller } from "../users/caller.ts";
import { type NamedValues, namedValues } from "../users/naming.ts";
import type { PlacedEvent } from "./client-events.ts";
import { sharedRead } from "./shared-reads.ts";

/** Entries of the log that are of no type that clients know, and become events of other types. */

type Event = LoggedEvent["event"];
interface Reader {
  caller: Caller;
  realm: Realm;
  view: SubscriptionView;
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

const derived: Record<string, Derived> = {
  settings_naming: { types: ["realm", "stream", "user_group"], show: showNaming },
  role_change: {
    types: ["stream"],
    show: ({ event }, reader) => showRoleChange(event as Event & RoleChange, reader),
  },
};

export const derivedFrom = (event: Event): Derived | undefined => derived[event.type];
