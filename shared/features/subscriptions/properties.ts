import { badRequest } from "../../base/errors.ts";
import type { OmitEach } from "../../base/schema/event-types.ts";
import { invalidChannel } from "../../core/channels/channel-access.ts";
import type { SubscriptionUpdate } from "../../core/channels/event-types.ts";
import { evaluatedPermissions, hasMetadataAccess } from "../../core/channels/rules.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { loadPermissions } from "../../services/permissions/access.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { findSubscriptionsOf, type Subscription, updateSubscription } from "../../store/channels/subscriptions.ts";
import { eventForUser } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { checkColor } from "./add.ts";

/** Users' settings of their own subscriptions. See https://zulip.com/api/update-subscription-settings. */

type ChangeableFields = Omit<Subscription, "userId" | "channelId" | "active" | "periods">;

interface RequestedChange {
  stream_id: number;
  property: string;
  value: unknown;
}

/** A property's change in the store and on the wire; muting has an additional event under its legacy name. */
interface PropertyChange {
  channelId: number;
  set: Partial<ChangeableFields>;
  events: OmitEach<SubscriptionUpdate, "type" | "op" | "stream_id">[];
}

const booleanProperties = {
  pin_to_top: (value: boolean) => ({ pinToTop: value }),
  desktop_notifications: (value: boolean) => ({ desktopNotifications: value }),
  audible_notifications: (value: boolean) => ({ audibleNotifications: value }),
  push_notifications: (value: boolean) => ({ pushNotifications: value }),
  email_notifications: (value: boolean) => ({ emailNotifications: value }),
  wildcard_mentions_notify: (value: boolean) => ({ wildcardMentionsNotify: value }),
} satisfies Record<string, (value: boolean) => Partial<ChangeableFields>>;

const isBooleanProperty = (property: string): property is keyof typeof booleanProperties =>
  Object.hasOwn(booleanProperties, property);

function parseChange({ stream_id: channelId, property, value }: RequestedChange): PropertyChange {
  if (property === "color") {
    if (typeof value !== "string") throw badRequest("color is not a string");
    return { channelId, set: { color: checkColor(value) }, events: [{ property, value }] };
  }
  const isMuteProperty = property === "is_muted" || property === "in_home_view";
  if (!isBooleanProperty(property) && !isMuteProperty) throw badRequest(`Unknown subscription property: ${property}`);
  if (typeof value !== "boolean") throw badRequest(`${property} is not a boolean`);
  if (isBooleanProperty(property))
    return { channelId, set: booleanProperties[property](value), events: [{ property, value }] };
  const isMuted = property === "is_muted" ? value : !value;
  return {
    channelId,
    set: { isMuted },
    events: [
      { property: "in_home_view", value: !isMuted },
      { property: "is_muted", value: isMuted },
    ],
  };
}

/** Parses the requested changes. Throws if any is invalid, or for a channel to which the caller is not subscribed. */
export async function checkPropertyChanges(
  caller: Caller,
  requested: readonly RequestedChange[],
  realm: Realm,
): Promise<PropertyChange[]> {
  const changes = requested.map(parseChange);
  const ids = [...new Set(changes.map(({ channelId }) => channelId))];
  const [subscriptions, channels] = await Promise.all([findSubscriptionsOf(caller.id, ids), findChannels(ids)]);
  const existing = channels.filter((channel) => channel !== undefined);
  const isGranted = await loadPermissions(caller, existing.flatMap(evaluatedPermissions), realm.settings);
  for (const [index, id] of ids.entries()) {
    const [channel, subscription] = [channels[index], subscriptions[index]];
    if (!channel || !hasMetadataAccess({ person: caller, channel, subscription, isGranted })) throw invalidChannel();
    if (!subscription?.active) throw notSubscribed(id);
  }
  return changes;
}

const notSubscribed = (id: number) => badRequest(`Not subscribed to channel ID ${id}`);

/** All the changes with their events; refused if the user has unsubscribed meanwhile. */
export function applyPropertyChanges(userId: number, changes: readonly PropertyChange[]): Change | undefined {
  if (changes.length === 0) return undefined;
  const ids = [...new Set(changes.map(({ channelId }) => channelId))];
  const writes = ids.map((id) => {
    const sets = changes.filter(({ channelId }) => channelId === id).map(({ set }) => set);
    return withRefusal(updateSubscription(userId, id, Object.assign({}, ...sets)), () => notSubscribed(id));
  });
  const events = changes.flatMap(({ channelId, events: updates }) =>
    updates.map((update) =>
      eventForUser(userId, { type: "subscription", op: "update", stream_id: channelId, ...update }),
    ),
  );
  return { writes, events };
}

/** The number of changes that always fits into one transaction. */
export const maxPropertyChanges = 30;
