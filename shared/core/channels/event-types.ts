import {
  bool,
  int,
  list,
  literal,
  nullable,
  oneOf,
  oneOfInts,
  optional,
  shapeOf,
  strictObject,
  text,
  type Value,
} from "../../base/schema/params.ts";
import { channelPermissionNames, topicsPolicies } from "../../store/channels/channels.ts";
import { groupSettingValue } from "../user-groups/wire.ts";
import { visibilityPermissionNames } from "./params.ts";
import { channelObject, subscriptionObject } from "./wire.ts";

/**
 * Events about channels. The log stores each change once; `channel-events.ts` derives each client's events from it: a new
 * subscription, for example, is `add` for its owner and `peer_add` for others.
 */

const ids = list(int());
const stream_id = int();

const subscription = { type: literal("subscription") };
const propertyUpdate = { ...subscription, op: literal("update"), stream_id };
const propertyUpdates = [
  strictObject({ ...propertyUpdate, property: literal("color"), value: text() }),
  strictObject({
    ...propertyUpdate,
    property: oneOf([
      "is_muted",
      "in_home_view",
      "pin_to_top",
      "desktop_notifications",
      "audible_notifications",
      "push_notifications",
      "email_notifications",
      "wildcard_mentions_notify",
    ]),
    value: bool(),
  }),
];
export type SubscriptionUpdate = Value<(typeof propertyUpdates)[number]>;

/** Events about subscriptions: for their owner, and as `peer_add` and `peer_remove` for users who may see the subscribers. */
export const subscriptionEvents = [
  strictObject({ ...subscription, op: literal("add"), subscriptions: list(subscriptionObject) }),
  strictObject({
    ...subscription,
    op: literal("remove"),
    subscriptions: list(strictObject({ stream_id, name: text() })),
  }),
  ...propertyUpdates,
  strictObject({ ...subscription, op: literal("peer_add"), stream_ids: ids, user_ids: ids }),
  strictObject({ ...subscription, op: literal("peer_remove"), stream_ids: ids, user_ids: ids }),
];
export type SubscriptionEvent = Value<(typeof subscriptionEvents)[number]>;

const membership = { ...subscription, stream_id, name: text(), user_ids: ids };
const memberships = [
  strictObject({ ...membership, op: literal("join") }),
  strictObject({ ...membership, op: literal("leave") }),
];
export const loggedSubscriptionEvents = [...memberships, ...propertyUpdates];
export type Membership = Value<(typeof memberships)[number]>;

/** The fields that decide who can see a channel. `is_archived`: absent if it is not archived. */
const visibility = strictObject({
  is_archived: optional(literal(true)),
  invite_only: bool(),
  is_web_public: bool(),
  permissions: strictObject(shapeOf(visibilityPermissionNames, groupSettingValue())),
});
export type Visibility = Value<typeof visibility>;

const stream = { type: literal("stream") };
/** A channel's visibility before and after a change; only in the change's first event that affects it. */
const visibilityChange = { was: optional(visibility), is: optional(visibility) };
const update = { ...stream, op: literal("update"), stream_id, name: text() };
const visibilityUpdates = [
  {
    ...update,
    property: literal("invite_only"),
    value: bool(),
    history_public_to_subscribers: bool(),
    is_web_public: bool(),
  },
  { ...update, property: oneOf(channelPermissionNames), value: groupSettingValue() },
] as const;
const updates = [
  strictObject({ ...update, property: literal("name"), value: text() }),
  strictObject({ ...update, property: literal("description"), value: text(), rendered_description: text() }),
  strictObject({ ...update, property: literal("is_archived"), value: bool() }),
  strictObject({ ...update, property: literal("message_retention_days"), value: nullable(int()) }),
  strictObject({ ...update, property: literal("topics_policy"), value: oneOf(topicsPolicies) }),
  strictObject({ ...update, property: literal("folder_id"), value: nullable(int()) }),
  strictObject({ ...update, property: literal("first_message_id"), value: nullable(int()) }),
  strictObject({ ...update, property: literal("stream_post_policy"), value: oneOfInts([1, 2, 3, 4]) }),
  strictObject({ ...update, property: literal("is_announcement_only"), value: bool() }),
];

/** Events about channels, for users who may see them. */
export const streamEvents = [
  strictObject({ ...stream, op: literal("create"), streams: list(channelObject) }),
  strictObject(visibilityUpdates[0]),
  strictObject(visibilityUpdates[1]),
  ...updates,
  strictObject({ ...stream, op: literal("delete"), stream_ids: ids, streams: list(strictObject({ stream_id })) }),
];
export type StreamEvent = Value<(typeof streamEvents)[number]>;

export const loggedStreamEvents = [
  strictObject({ ...stream, op: literal("create"), stream_id }),
  strictObject({ ...visibilityUpdates[0], ...visibilityChange }),
  strictObject({ ...visibilityUpdates[1], ...visibilityChange }),
  ...updates,
];
export type LoggedStreamEvent = Value<(typeof loggedStreamEvents)[number]>;
export type LoggedStreamUpdate = Extract<LoggedStreamEvent, { op: "update" }>;

/** Sent after a change: the IDs of all default channels. */
export const defaultStreamsEvent = strictObject({ type: literal("default_streams"), default_streams: ids });

/** A change of a user's role. The channels that appear or disappear for them are derived when the log is read. */
export const roleChangeEvent = strictObject({
  type: literal("role_change"),
  before: oneOfInts([100, 200, 300, 400, 600]),
  after: oneOfInts([100, 200, 300, 400, 600]),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    default_streams: Value<typeof defaultStreamsEvent>;
  }
  interface LogEvents {
    role_change: Value<typeof roleChangeEvent>;
    stream: LoggedStreamEvent;
    subscription: Value<(typeof loggedSubscriptionEvents)[number]>;
  }
  interface ClientEvents {
    stream: StreamEvent;
    subscription: SubscriptionEvent;
  }
}
