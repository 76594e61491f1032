import { badRequest } from "../errors.ts";
import { permissionsAmong } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { findChannels } from "../store/channels.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { findSubscriptionsOf, type Subscription, updateSubscription } from "../store/subscriptions.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { Caller } from "../users/caller.ts";
import { checkColor } from "./add.ts";
import { decisiveValues, mayKnow } from "./rules.ts";
import { invalidChannel } from "./standing.ts";

/** What users set for their own subscriptions (2.4, 4.3). */

type Changeable = Omit<Subscription, "userId" | "channelId" | "active" | "periods">;

interface WantedProperty {
  stream_id: number;
  property: string;
  value: unknown;
}

/** One property's change in the store and on the wire; muting is told twice, under its older name as well. */
interface Change {
  channelId: number;
  set: Partial<Changeable>;
  events: [property: string, value: boolean | string][];
}

const flags: Record<string, (value: boolean) => Partial<Changeable>> = {
  pin_to_top: (value) => ({ pinToTop: value }),
  desktop_notifications: (value) => ({ desktopNotifications: value }),
  audible_notifications: (value) => ({ audibleNotifications: value }),
  push_notifications: (value) => ({ pushNotifications: value }),
  email_notifications: (value) => ({ emailNotifications: value }),
  wildcard_mentions_notify: (value) => ({ wildcardMentionsNotify: value }),
};

function changeOf({ stream_id: channelId, property, value }: WantedProperty): Change {
  if (property === "color") {
    if (typeof value !== "string") throw badRequest("color is not a string");
    return { channelId, set: { color: checkColor(value) }, events: [["color", value]] };
  }
  const setFlag = flags[property];
  const mutes = property === "is_muted" || property === "in_home_view";
  if (!setFlag && !mutes) throw badRequest(`Unknown subscription property: ${property}`);
  if (typeof value !== "boolean") throw badRequest(`${property} is not a boolean`);
  if (setFlag) return { channelId, set: setFlag(value), events: [[property, value]] };
  const isMuted = property === "is_muted" ? value : !value;
  return {
    channelId,
    set: { isMuted },
    events: [
      ["in_home_view", !isMuted],
      ["is_muted", isMuted],
    ],
  };
}

/** Checks all of the wanted changes before any is made: one that cannot be made leaves everything as it is. */
export async function accessProperties(
  caller: Caller,
  wanted: readonly WantedProperty[],
  realm: Realm,
): Promise<Change[]> {
  const changes = wanted.map(changeOf);
  const ids = [...new Set(changes.map(({ channelId }) => channelId))];
  const [subscriptions, channels] = await Promise.all([findSubscriptionsOf(caller.id, ids), findChannels(ids)]);
  const known = channels.filter((channel) => channel !== undefined);
  const holds = await permissionsAmong(caller, known.flatMap(decisiveValues), realm.settings);
  for (const [index, id] of ids.entries()) {
    const [channel, subscription] = [channels[index], subscriptions[index]];
    if (!channel || !mayKnow({ person: caller, channel, subscription, holds })) throw invalidChannel();
    if (!subscription?.active) throw notSubscribed(id);
  }
  return changes;
}

const notSubscribed = (id: number) => badRequest(`Not subscribed to channel ID ${id}`);

/** Makes the changes with their events, in one transaction. */
export async function setProperties(userId: number, changes: readonly Change[]): Promise<void> {
  const ids = [...new Set(changes.map(({ channelId }) => channelId))];
  const merged = ids.map((id) => {
    const sets = changes.filter(({ channelId }) => channelId === id).map(({ set }) => set);
    return updateSubscription(userId, id, Object.assign({}, ...sets));
  });
  const events = changes.flatMap(({ channelId, events: own }) =>
    own.map(
      ([property, value]): LoggedEvent => ({
        audience: { kind: "users", userIds: [userId] },
        event: { type: "subscription", op: "update", stream_id: channelId, property, value },
      }),
    ),
  );
  try {
    await commit({ events: events.length }, () => ({ writes: merged, events, result: undefined }));
  } catch (error) {
    if (error instanceof ConditionFailed) throw notSubscribed(ids[error.failed[0] ?? 0] ?? 0);
    throw error;
  }
}

/** Changes that fit into one transaction, whatever they are. */
export const mostChanges = 30;
